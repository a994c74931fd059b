"""Fleets with too many pairs to draw up all: a judged plan in time, whatever the process does."""

import time
from textwrap import indent

import pytest
from worlds import RACK, World

from models.audit import audit_plan
from models.outcome import Outcome
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from models.standing import Standing
from planner.fence.asking import LATE, dismiss
from planner.solving import solved

pytestmark = pytest.mark.xdist_group("fence")

DEADLINE = 6.0

FAULTY = """
import sys
sys.path[:] = {path!r}
import os, time
import numpy as np
from dataclasses import replace
from planner.fence.child import serve
from rebalancer.search import search
from rebalancer.wide.answer import answer

def widen(question, on_part):
BODY
serve({descriptor}, search, widen)
"""

FAULTS = {
    "hangs": "time.sleep(60)",
    "dies": "os._exit(3)",
    "fails": "raise ValueError('no')",
    "is rubbish": "os.write({descriptor}, b'x' * 1000); time.sleep(60)",
    "takes what is not there": """
said = answer(question)
more = [replace(s, moves=replace(s.moves, count=s.moves.count * 1000)) for s in said.seeds]
return replace(said, seeds=tuple(more))
""",
    "claims too little": """
return replace(answer(question), most=np.zeros(len(question.everybody.priorities)))
""",
}


COMPLAINTS = {
    "dies": "ended with 3",
    "fails": "ValueError: no",
    "is rubbish": "rubbish",
}


def crowd() -> Standing:
    """Give a world in which who is served first without a look at the rest spoils a gang."""
    world = World().shard("s0", "a").shard("s1", "b")
    for number in range(4):
        world.machines(f"r{number}-", 4, shard="s1", rack=f"r{number}")
    for number in range(2):
        world.need(f"a/gang{number}", 4, 5, same=RACK)
    world.need("a/plain", 8, 5)
    return world.standing()


@pytest.fixture(autouse=True)
def _wide(monkeypatch):
    monkeypatch.setattr("planner.solving.most_pairs", lambda limits: 0)
    dismiss()
    yield
    dismiss()


def settings(deadline: float = DEADLINE) -> Settings:
    return Settings(rebalance=RebalanceSettings(deadline=deadline, workers=1))


def test_everybody_is_served_and_that_is_proven_for_all_lanes():
    answer = solved(crowd(), settings(30.0))
    assert answer.complaint == ""
    assert answer.plan.outcome is Outcome.FEASIBLE
    assert [(level.served, level.bound) for level in answer.plan.levels] == [(16, 16)]
    assert audit_plan(crowd(), answer.plan, settings()) == ()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_process_that_fails_spoils_nothing(fault: str, monkeypatch):
    body = indent(FAULTS[fault].strip(), "    ")
    monkeypatch.setattr("planner.fence.process.PROGRAM", FAULTY.replace("BODY", body))
    standing, started = crowd(), time.monotonic()
    answer = solved(standing, settings())
    assert time.monotonic() - started < DEADLINE + 0.5
    assert audit_plan(standing, answer.plan, settings()) == ()
    assert COMPLAINTS.get(fault, "") in answer.complaint
    # A busy machine may not get as far as a plan of the search that comes after.
    assert (answer.complaint not in ("", LATE)) == (fault in COMPLAINTS)
    [level] = answer.plan.levels
    assert 0 < level.served <= level.bound
