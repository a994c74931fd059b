"""Real worker processes: the same answers as here, and what becomes of one that is killed."""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from planner.tune.processes import in_processes
from planner.tune.solve import result_of
from planner.tune.space import grid, ranges_of
from planner.tune.sweep import sweep
from planner.tune.trial import Trial
from tests.planner.tune.worlds import SWEPT, ground

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    return ground(tmp_path_factory.mktemp("fleet"))


@pytest.fixture(scope="module")
def expected(here):
    """Give by number what this process answers."""
    return {trial.number: told(result_of([here], trial)) for trial in trials()}


@pytest.fixture(scope="module")
def crew(here):
    """Give one crew for all tests that harm no worker: each process takes two seconds to begin."""
    before = set(multiprocessing.active_children())
    with in_processes([here], 2)() as submit:
        yield lambda: nullcontext(submit)
    assert set(multiprocessing.active_children()) == before


def trials():
    return [Trial(number, point) for number, point in enumerate(grid(ranges_of(SWEPT)), 1)]


def told(result):
    """Give what must be the same wherever a trial is solved."""
    return result.trial, result.failure, [(r.outcome, r.levels, r.after) for r in result.effects]


def test_processes_answer_as_this_one_does(crew, expected):
    found = {result.trial.number: told(result) for result in sweep(trials(), crew, 4)}
    assert found == expected


def test_no_ctrl_c_reaches_a_worker(crew):
    with crew() as submit:
        submit(trials()[0]).result()
    workers = multiprocessing.active_children()
    assert workers
    for worker in workers:
        status = Path(f"/proc/{worker.pid}/status").read_text()
        blocked = int(re.search(r"^SigBlk:\s*(\w+)$", status, re.MULTILINE)[1], 16)
        assert blocked >> (signal.SIGINT - 1) & 1


def test_when_a_worker_is_killed_the_sweep_goes_on(here, expected):
    before = set(multiprocessing.active_children())
    found = []
    for result in sweep(trials(), in_processes([here], 1), 4):
        if not found:
            (set(multiprocessing.active_children()) - before).pop().kill()
        found.append(result)
    assert sorted(result.trial.number for result in found) == list(range(1, 10))
    done = [result for result in found if not result.failure]
    assert [told(result) for result in done] == [expected[r.trial.number] for r in done]
    # With several under way none of them is to blame.
    assert len(found) - len(done) <= 1


def test_whoever_stops_looking_leaves_no_worker(here):
    before = set(multiprocessing.active_children())
    looking = sweep(trials(), in_processes([here], 1), 2)
    next(looking)
    looking.close()
    for process in set(multiprocessing.active_children()) - before:
        process.join(5)
    assert set(multiprocessing.active_children()) == before


PROGRAM = """
import sys, time
from planner.tune.processes import in_processes
from planner.tune.trial import Trial
from models.rules import Goal
import multiprocessing

if __name__ == "__main__":
    with in_processes([], 1)() as submit:
        submit(Trial(1, {})).result()
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        time.sleep(60)
"""


def test_workers_end_with_whoever_started_them(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, str(file)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    workers = list(map(int, process.stdout.readline().split()))
    assert workers
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    process.stdout.close()
    deadline = time.monotonic() + 20
    while any(map(is_alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in workers if is_alive(pid)] == []


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # Whoever is dead and not yet fetched by the system's first process is dead.
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[0] != "Z"
