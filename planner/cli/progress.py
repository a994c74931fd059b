"""Say on stderr that something takes time, once it does, and how far it has come."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count

from planner.cli.verdict import tell
from planner.pacing import paced

PATIENCE_SECONDS = 0.5
"""What is over by then was not worth a word."""

LINE_SECONDS = 0.25
"""Between two looks of the spinner at what there is to say."""

COUNT_SECONDS = 5.0
"""Between two lines that count, where no bar can be drawn."""


@contextmanager
def working(what: str, *, lines: bool = False) -> Iterator[Callable[[object], None]]:
    """Show ``what`` with a spinner while the block runs on, or as one line where there is none.

    The block is given a function to be told of progress: with ``lines`` that is written line by
    line, else beside the spinner, and nowhere where there is none.
    """
    if lines or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        timer = threading.Timer(PATIENCE_SECONDS, tell, [f"{what} ..."])
        timer.daemon = True
        timer.start()
        try:
            yield partial(_line, what) if lines else _silent
        finally:
            timer.cancel()
        return
    done, words = threading.Event(), [what]

    def say(progress: object) -> None:
        words[0] = f"{what}: {progress}"

    spinner = threading.Thread(target=_spin, args=(words, done), daemon=True)
    spinner.start()
    try:
        yield say
    finally:
        done.set()
        spinner.join()


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Show how many of ``total`` are done: a bar on a terminal, elsewhere a line now and then.

    The block is given a function to be called once for each.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        done, say = count(1), paced(tell, time.monotonic, COUNT_SECONDS, last=time.monotonic())
        timer = threading.Timer(PATIENCE_SECONDS, tell, [f"{what} ..."])
        timer.daemon = True
        timer.start()
        try:
            yield lambda: say(f"{what}: {next(done)} of {total}")
        finally:
            timer.cancel()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)


def _line(what: str, progress: object) -> None:
    tell(f"{what}: {progress}")


def _silent(progress: object) -> None:
    pass


def _spin(words: list[str], done: threading.Event) -> None:
    if done.wait(PATIENCE_SECONDS):
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(words[0])) as status:
        while not done.wait(LINE_SECONDS):
            status.update(Text(words[0]))
