"""The verb ``plan`` where goals conflict: what the other choice would have cost is told."""

import json

import pytest
from click.testing import CliRunner

from planner.cli.main import bigfleet
from tests.planner.cli.fleets import machine, need, write

RACK, SPINE = "example.com/rack", "example.com/spine"


def racked(id: str, rack: str, penalty: float, **given: object) -> dict:
    return machine(
        id, shard="s1", state="CONFIGURED", cluster="b", serves="low", reclamationPenalty=penalty,
        labels={SPINE: "p", RACK: rack}, **given,
    )  # fmt: skip


TORN = {
    "kind": "Fleet",
    "topology": [SPINE, RACK],
    "shards": [{"name": "s0", "clusters": ["a"]}, {"name": "s1", "clusters": ["b"]}],
    "machines": [
        racked("dear-{}", "r0", 2000, count=2),
        racked("cheap-1", "r1", 100),
        racked("cheap-2", "r2", 100),
    ],
    "needs": [
        need("gang", "a", priority=900000, count=2, same=SPINE),
        need("low", "b", priority=0, count=4),
    ],
}
"""A gang of two: one rack for 4000 USD, or two for 200."""


def run(path: str, form: str, *options: str) -> str:
    done = CliRunner().invoke(bigfleet, ["plan", path, "-o", form, "--seed", "0", *options])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_json_tells_all_goals_of_the_other_choice(tmp_path):
    out = json.loads(run(write(tmp_path, TORN), "json"))
    assert out["goals"]["preemption_damage"]["after"] == 200
    assert out["goals"]["gang_spread"]["after"] == 1
    (other,) = (other for other in out["alternatives"] if other["goal"] == "gang_spread")
    assert list(other) == ["goal", "extraCost", "goals"]
    assert list(other["goals"]) == list(out["goals"])
    assert (other["goals"]["gang_spread"], other["goals"]["preemption_damage"]) == (0, 4000)
    cost = sum(out["goals"][goal]["weight"] * value for goal, value in other["goals"].items())
    now = sum(goal["cost"] for goal in out["goals"].values())
    assert other["extraCost"] == pytest.approx(cost - now)


@pytest.mark.parametrize("form", ["table", "wide", "html"])
def test_people_read_it_in_a_sentence(tmp_path, form: str):
    said = " ".join(run(write(tmp_path, TORN), form).split())
    assert "What else: gang_spread could be 0 instead of 1, for $3,799.90 more in all: " in said
    assert "preemption_damage 4,000 instead of 200" in said


def test_goals_that_do_not_conflict_say_nothing(tmp_path):
    path = write(tmp_path, TORN)
    assert "alternatives" not in json.loads(run(path, "json", "--set", "goals.gang_spread=0"))
    assert "What else" not in run(path, "table", "--set", "goals.gang_spread=0")
