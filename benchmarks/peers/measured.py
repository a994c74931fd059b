"""One peer on one problem, in a process of its own: what it found, checked, and what it took."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.judge import Broken, Worth, worth
from benchmarks.peers.problems import Problem, to_json

ROOT = Path(__file__).parents[2]
GRACE_SECONDS = 30.0
"""Beyond the limit, for what a peer does not count in it: start, reading, building its model."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A row of the table.

    Attributes
    ----------
    worth
        None where there is no answer, or a broken one; ``said`` then says why.
    bounds
        One a goal, as the peer told them; empty where it proves nothing.
    seconds
        By the peer's own watch, from the problem read to the answer; None where it was killed.
    wall_seconds, cpu_seconds, peak_mib
        Of the whole process, its start included.
    """

    instance: str
    peer: str
    worth: Worth | None
    bounds: tuple[float | None, ...]
    seconds: float | None
    wall_seconds: float
    cpu_seconds: float
    peak_mib: float
    settings: str
    said: str


def measured(
    instance: str, problem: Problem, peer: str, command: list[str], seconds: float
) -> Measured:
    """Run a peer and judge its answer."""
    with tempfile.TemporaryDirectory() as folder:
        given, taken = Path(folder, "problem.json"), Path(folder, "answer.json")
        given.write_text(to_json(problem))
        launcher = str(Path(__file__).with_name("launcher.py"))
        limits = [str(seconds + GRACE_SECONDS), str(given), str(taken)]
        done = subprocess.run(
            [sys.executable, "-I", "-S", launcher, *limits, *command],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        use = json.loads(done.stdout)
        text = taken.read_text()
    used = use["wall_seconds"], use["cpu_seconds"], use["peak_mib"]
    if use["exit"] != 0:
        killed = use["exit"] == -9
        said = "killed at the limit" if killed else _last_line(done.stderr, use["exit"])
        return Measured(instance, peer, None, (), None, *used, "", said)
    answer = json.loads(text)
    found, said = _judged(problem, answer)
    return Measured(
        instance,
        peer,
        found,
        tuple(answer["bounds"]),
        answer["seconds"],
        *used,
        answer["settings"],
        said,
    )


def _judged(problem: Problem, answer: dict[str, object]) -> tuple[Worth | None, str]:
    said = str(answer["said"])
    triples = answer["triples"]
    if not isinstance(triples, list):
        return None, said
    try:
        return worth(problem, [(first, second, count) for first, second, count in triples]), said
    except Broken as error:
        return None, f"broken answer: {error}"


def _last_line(text: str, exit_code: int) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else f"ended with {exit_code}"
