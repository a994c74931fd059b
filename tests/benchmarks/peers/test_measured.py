"""Every peer that is here, in a process of its own; those that fail; the command."""

import json
import subprocess
import sys

import pytest

from benchmarks.peers.__main__ import APART, commands
from benchmarks.peers.measured import ROOT, measured
from benchmarks.peers.problems import Ownership, Packing, Transfer

PROBLEMS = {
    "packing": Packing([0, 1, 0], [4, 6, 5], [3, 2], [0, 1], [2, 1], [[0], [0]]),
    "transfer": Transfer(
        priorities=[200_000, 0],
        thing_cost=[5, 7],
        thing_risk=[0, 1],
        profile_things=[[0, 1], [1]],
        offer_donor=[0, 0, 1, 1],
        offer_thing=[0, 1, 0, 1],
        offer_tier=[1, 2, 2, 2],
        offer_level=[-1, 1, 1, 1],
        offer_lowest=[1, 0, 0, 0],
        offer_count=[2, 3, 3, 3],
        wanted_receiver=[2, 2],
        wanted_profile=[0, 1],
        wanted_level=[0, 0],
        wanted_penalty=[3, 4],
        wanted_short=[3, 2],
        most_drains=[1, 9, 9],
    ),
    "ownership": Ownership([[5, 4, 0, 3], [2, 2, 0, 6], [1, 1, 0, 7]], [0, 1, 2, 3]),
}
BEST = {
    "packing": {"short at level 0": 0, "short at level 1": 0, "in broken racks": 9},
    "transfer": {
        "short at level 0": 0,
        "short at level 1": 3,
        "drained": 3,
        "created": 2,
        "micro-USD/h": 37,
    },
    "ownership": {"off in groups": 0, "off in totals": 0, "moved": 11},
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize(
    "peer", ["ours", "greedy", "cp-sat", "milp", "meta-stratified", "meta-highs"]
)
def test_every_peer_but_greedy_finds_the_best_of_a_tiny_problem(peer, name):
    able = commands(3.0)
    if peer not in able:
        pytest.skip(f"no {APART}: make bench-peers makes it")
    row = measured(name, PROBLEMS[name], peer, able[peer], 3.0)
    assert row.worth is not None, row.said
    if peer == "greedy":
        assert tuple(row.worth.values()) >= tuple(BEST[name].values())
    else:
        assert row.worth == BEST[name]
    assert 0 < row.seconds < row.wall_seconds
    assert row.cpu_seconds > 0
    assert 5 < row.peak_mib < 1000


def test_a_peer_that_dies_is_a_row_that_says_so():
    problem = Packing([0], [1], [1], [0], [1], [[0]])
    dead = measured("tiny", problem, "dead", [sys.executable, "-c", "raise SystemExit('why')"], 5.0)
    assert dead.worth is None
    assert dead.said == "why"


def test_a_peer_that_does_not_end_is_killed(monkeypatch):
    monkeypatch.setattr("benchmarks.peers.measured.GRACE_SECONDS", 0.0)
    problem = Packing([0], [1], [1], [0], [1], [[0]])
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    row = measured("tiny", problem, "asleep", command, 0.2)
    assert row.worth is None
    assert row.said == "killed at the limit"
    assert row.wall_seconds < 10


def test_an_answer_that_breaks_a_rule_counts_for_nothing():
    problem = Packing([0], [1], [1], [0], [1], [[0]])
    lie = {"seconds": 1, "triples": [[0, 0, 2]], "bounds": [], "settings": "", "said": ""}
    command = [sys.executable, "-c", f"print({json.dumps(json.dumps(lie))})"]
    row = measured("tiny", problem, "liar", command, 5.0)
    assert row.worth is None
    assert row.said == "broken answer: free machines of rack 0: 2 of 1."


def test_the_command_gives_json():
    command = [sys.executable, "-m", "benchmarks.peers", "--instance", "transfer-small"]
    command += ["--peer", "greedy", "-o", "json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert [row["peer"] for row in json.loads(done.stdout)] == ["greedy"]
    assert "transfer-small: greedy" in done.stderr
