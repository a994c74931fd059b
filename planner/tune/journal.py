"""The journal of a sweep: a line for what it is about, then one for each trial that was solved.

A line is on the disk before the next trial is counted as done, so that whatever ends the sweep,
the same command goes on from there. A file that is anything else is left as it is.
"""

import fcntl
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from models.errors import Fault, InputFault
from planner.files.source import STANDARD_INPUT, shown
from planner.tune.journal_line import line_of, object_in, result_in, tree_of
from planner.tune.trial import Result

FORMAT = 1
"""To be raised whenever a line gets another meaning."""

MOST_LINE_BYTES = 1 << 26
"""A result has some 600 bytes a snapshot and 30 a level: this is 50 snapshots of 40,000 levels."""

_ANY_TRIAL = 10**6
"""Numbers that a message repeats."""

Head = Mapping[str, object]
"""What a sweep is about, by name: resumed only where all of it is the same."""

Fits = Callable[[Result], bool]
"""Tells whether a result could be one of the sweep."""


class Journal:
    """The results so far, by number of the trial; the file grows with ``add``."""

    def __init__(self, file: BinaryIO, name: str, results: dict[int, Result]) -> None:
        self._file, self._name = file, name
        self.results = results

    def add(self, result: Result) -> None:
        """Keep a result; one that failed is not kept, to be tried again by the next run.

        Raises
        ------
        InputFault
            When it cannot be written.
        """
        if not result.failure:
            with _refusals(self._name):
                _write(self._file, line_of(tree_of(result)))
            self.results[result.trial.number] = result


@contextmanager
def journal_at(path: str | Path, head: Head, fits: Fits) -> Iterator[Journal]:
    """Open a journal, or begin one where there is none; nobody else can until the block ends.

    A last line that was cut off, as by a crash, is taken away. Whatever is refused is not changed.

    Raises
    ------
    InputFault
        When it cannot be read or written, is no journal, is of another sweep, or in use, or has a
        line that is no result of it.
    """
    name = shown(path)
    if str(path) == STANDARD_INPUT:
        raise _fault(name, "stands for a stream, not for a file; name a file.")
    with ExitStack() as stack:
        with _refusals(name):
            file = stack.enter_context(open(path, "a+b", opener=_regular))
            _lock(file, name)
            results = _resumed(file, name, {"bigfleet": "tune", "format": FORMAT, **head}, fits)
        yield Journal(file, name, results)


def _regular(path: str, flags: int) -> int:
    """Open a regular file, and nothing that an open could wait for, such as a serial line."""
    descriptor = os.open(path, flags | os.O_NONBLOCK, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _fault(shown(path), "is no regular file; name another.")
    return descriptor


def _lock(file: BinaryIO, name: str) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _fault(name, "is in use by another sweep.") from None


def _resumed(file: BinaryIO, name: str, head: Head, fits: Fits) -> dict[int, Result]:
    """Read what there is; only when all of it is right, take away what was cut off."""
    file.seek(0)
    mine, first = line_of(head), file.readline(MOST_LINE_BYTES)
    if first != mine and mine.startswith(first):
        file.truncate(0)
        _write(file, mine)
        return {}
    _check(first, head, name)
    results = {}
    whole = len(first)
    for number, line in enumerate(iter(lambda: file.readline(MOST_LINE_BYTES), b""), start=2):
        if not line.endswith(b"\n") and len(line) < MOST_LINE_BYTES:
            file.truncate(whole)
            break
        result = _result(line, f"{name}: line {number}", fits)
        results[result.trial.number] = result
        whole += len(line)
    return results


def _check(first: bytes, head: Head, name: str) -> None:
    try:
        found = object_in(first) if first.endswith(b"\n") else {}
    except ValueError:
        found = {}
    if found.get("bigfleet") != "tune":
        raise _fault(name, "is no journal of bigfleet tune; name another file.")
    keys = [*head, *(key for key in found if key not in head)]
    other = [key for key in keys if key not in head or found.get(key) != head[key]]
    if other:
        message = f"is of another sweep: {', '.join(map(shown, other))} differ; name another file."
        raise _fault(name, message)


def _result(line: bytes, path: str, fits: Fits) -> Result:
    """Read the result in a line, and believe it only where it fits."""
    what = "a trial"
    try:
        tree = object_in(line)
        if tree.get("trial") in range(_ANY_TRIAL):
            what = f"trial {tree['trial']} of this sweep"
        result = result_in(tree)
    except ValueError:
        result = None
    if result is None or not fits(result):
        raise _fault(path, f"is no result of {what}; take the line away, or name another file.")
    return result


def _write(file: BinaryIO, line: bytes) -> None:
    # Past the buffer: what a full disk refuses must not be written once more by the close.
    while line:
        line = line[os.write(file.fileno(), line) :]
    os.fsync(file.fileno())


@contextmanager
def _refusals(name: str) -> Iterator[None]:
    """Tell of a file whatever the operating system has against it."""
    try:
        yield
    except IsADirectoryError:
        raise _fault(name, "is a folder; name a file in it.") from None
    except OSError as error:
        raise _fault(name, f"cannot be used: {error.strerror or error}.") from None


def _fault(path: str, message: str) -> InputFault:
    return InputFault([Fault(path, message)])
