"""Say on stderr that something takes time, once it does."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from planner.cli.verdict import tell

PATIENCE_SECONDS = 0.5
"""What is over by then was not worth a word."""


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show ``what`` with a spinner while the block runs on, or as one line where there is none."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        timer = threading.Timer(PATIENCE_SECONDS, tell, [f"{what} ..."])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
        return
    done = threading.Event()
    spinner = threading.Thread(target=_spin, args=(what, done), daemon=True)
    spinner.start()
    try:
        yield
    finally:
        done.set()
        spinner.join()


def _spin(what: str, done: threading.Event) -> None:
    if done.wait(PATIENCE_SECONDS):
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(what)):
        done.wait()
