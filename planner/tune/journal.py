"""The journal of a sweep: a line for what it is about, then one for each trial that was solved.

A line is on the disk before the next trial is counted as done, so that whatever ends the sweep,
the same command goes on from there.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from models.errors import Fault, InputFault
from models.outcome import Outcome
from models.plan import Level
from models.rules import Goal
from planner.files.source import shown
from planner.tune.trial import Effect, Result, Trial

FORMAT = 1
"""To be raised whenever a line gets another meaning."""

Head = Mapping[str, object]
"""What a sweep is about, by name: resumed only where all of it is the same."""


class Journal:
    """The results so far, by number of the trial; the file grows with ``add``."""

    def __init__(self, file: BinaryIO, results: dict[int, Result]) -> None:
        self._file = file
        self.results = results

    def add(self, result: Result) -> None:
        """Keep a result; one that failed is not kept, to be tried again by the next run."""
        if not result.failure:
            _write(self._file, _tree(result))
            self.results[result.trial.number] = result


@contextmanager
def journal_at(path: str | Path, head: Head) -> Iterator[Journal]:
    """Open a journal, or begin one where there is none; nobody else can until the block ends.

    A last line that was cut off, as by a crash, is taken away.

    Raises
    ------
    InputFault
        When it cannot be read or written, is no journal, is of another sweep, or in use.
    """
    name = shown(path)
    try:
        with open(path, "a+b") as file:
            yield _opened(file, name, {"bigfleet": "tune", "format": FORMAT, **head})
    except OSError as error:
        raise _fault(name, f"cannot be used: {error.strerror or error}.") from None


def _opened(file: BinaryIO, name: str, head: Head) -> Journal:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _fault(name, "is in use by another sweep.") from None
    file.seek(0)
    lines = file.read().splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        file.truncate(sum(map(len, lines[:-1])))
        lines.pop()
    if not lines:
        _write(file, head)
        return Journal(file, {})
    _check(_parsed(lines[0], f"{name}: line 1"), head, name)
    results = {}
    for number, line in enumerate(lines[1:], start=2):
        path = f"{name}: line {number}"
        try:
            result = _result(_parsed(line, path))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise _fault(path, "is no result of a trial.") from None
        results[result.trial.number] = result
    return Journal(file, results)


def _check(found: dict[str, Any], head: Head, name: str) -> None:
    if found.get("bigfleet") != "tune":
        raise _fault(name, "is no journal of bigfleet tune.")
    other = [key for key in head if found.get(key) != head[key]]
    if other:
        message = f"is of another sweep: {', '.join(other)} differ; name another file."
        raise _fault(name, message)


def _parsed(line: bytes, path: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise _fault(path, "is no JSON object.")
    return value


def _write(file: BinaryIO, tree: Mapping[str, object]) -> None:
    file.write(json.dumps(tree, separators=(",", ":")).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())


def _tree(result: Result) -> dict[str, object]:
    return {
        "trial": result.trial.number,
        "weights": dict(result.trial.weights),
        "reached": [
            {
                "outcome": each.outcome,
                "levels": [[row.priority, row.asked, row.served, row.bound] for row in each.levels],
                "drained": each.drained,
                "created": each.created,
                "before": dict(each.before),
                "after": dict(each.after),
                "late": each.is_late,
                "seconds": each.seconds,
            }
            for each in result.effects
        ],
    }


def _result(tree: dict[str, Any]) -> Result:
    trial = Trial(int(tree["trial"]), _by_goal(tree["weights"]))
    effects = tuple(
        Effect(
            outcome=Outcome(each["outcome"]),
            levels=tuple(Level(*map(int, row)) for row in each["levels"]),
            drained=int(each["drained"]),
            created=int(each["created"]),
            before=_by_goal(each["before"]),
            after=_by_goal(each["after"]),
            is_late=bool(each["late"]),
            seconds=float(each["seconds"]),
        )
        for each in tree["reached"]
    )
    return Result(trial, effects)


def _by_goal(tree: dict[str, Any]) -> dict[Goal, float]:
    return {Goal(name): float(value) for name, value in tree.items()}


def _fault(path: str, message: str) -> InputFault:
    return InputFault([Fault(path, message)])
