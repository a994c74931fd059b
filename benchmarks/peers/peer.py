"""What a peer is: a program that reads a problem and the seconds it has, and writes its answer."""

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from benchmarks.peers.problems import Problem, Triple, from_json


@dataclass(frozen=True, slots=True)
class Answer:
    """What a peer found.

    Attributes
    ----------
    triples
        None where it found none.
    bounds
        One a goal, in the judge's order: proven to be at least this; empty where it proves nothing.
    settings
        How it was set up.
    said
        What went wrong, or how it ended; "" on a good day.
    """

    triples: Sequence[Triple] | None
    bounds: Sequence[float | None]
    settings: str
    said: str


def run(answer: Callable[[Problem, float], Answer]) -> None:
    """Read the problem on standard input, write the answer to standard output.

    ``seconds`` counts what the peer itself took, process start, imports and reading left out.
    """
    problem = from_json(sys.stdin.read())
    started = time.monotonic()
    found = answer(problem, float(sys.argv[1]))
    seconds = time.monotonic() - started
    json.dump({"seconds": seconds, **asdict(found)}, sys.stdout)
