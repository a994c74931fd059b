"""The verb ``explain``."""

import json

import pytest
from click.testing import CliRunner

from planner.cli.main import bigfleet
from tests.planner.cli.fleets import TWO_SHARDS, machine, need, write


def run(*arguments: str):
    return CliRunner().invoke(bigfleet, ["explain", *arguments])


def tree(*arguments: str) -> dict:
    done = run(*arguments, "-o", "json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_a_need_that_preempts(tmp_path):
    told = tree(write(tmp_path, TWO_SHARDS), "need/train")
    assert [row["action"] for row in told["ordered"]].count("drain") == 3
    assert (told["shortfall"]["count"], told["shortfall"]["reason"]) == (3, "WaitingForDrain")
    assert told["freeElsewhere"] == {"s1": 2}
    assert (told["shard"], told["have"], told["waiting"]) == ("s0", 0, 3)


def test_what_the_plan_serves_is_said_in_a_line(tmp_path):
    said = run(write(tmp_path, LENT), "need/n").stdout
    assert "At the end of a plan (`explain FLEET plan` has its moves): It is served whole" in said


LENT = {
    "kind": "Fleet",
    "shards": [{"name": "s0", "clusters": ["a"]}, {"name": "s1", "clusters": ["b"]}],
    "machines": [machine("m", shard="s1", state="IDLE")],
    "needs": [need("n", "a")],
}


def test_a_need_that_loses(tmp_path):
    told = tree(write(tmp_path, TWO_SHARDS), "need/low")
    assert [row["need"] for row in told["loses"]] == ["train"] * 3
    assert told["serving"] == {"CONFIGURED": 4}
    # Its own cycle finds no shortfall, and yet it is short at the end of a plan.
    assert (told["shortfall"], told["whyShort"]["deficit"]) == (None, 3)


def test_each_machine_mismatches_by_the_first_thing_it_fails(tmp_path):
    wanted = {"key": "pool", "operator": "In", "values": ["x", "y"]}
    fleet = {
        "kind": "Fleet",
        "machines": [
            machine("both", state="IDLE", resources={"cpu": "1"}),
            machine("label{}", count=2, state="IDLE"),
            machine("small{}", count=3, resources={"cpu": "1500m"}, labels={"pool": "x"}),
            machine("fits", labels={"pool": "y"}),
        ],
        "needs": [need("n", "a", count=9, requirements=[wanted], resources={"cpu": 4, "gpu": 0})],
    }
    told = tree(write(tmp_path, fleet), "need/n")
    assert told["mismatches"] == {"pool In x, y": 3, "cpu >= 4": 3}
    assert [row["machine"] for row in told["ordered"]] == ["fits"]


@pytest.mark.parametrize("name", ["a/n", "n"])
def test_a_need_goes_by_its_name_and_by_cluster_and_id(tmp_path, name):
    fleet = {"kind": "Fleet", "needs": [need("a/n", "a")]}
    assert tree(write(tmp_path, fleet), f"need/{name}")["need"] == "a/n"


def test_an_id_of_two_needs_is_not_guessed(tmp_path):
    file = write(tmp_path, {"kind": "Fleet", "needs": [need("a/n", "a"), need("b/n", "b")]})
    done = run(file, "need/n")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "'n' is the id of needs of a, b; write it as cluster/id." in done.stderr


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("need/trian", "needs: there is no need 'trian'; did you mean 'train'?"),
        ("machine/v9", "machines: there is no machine 'v9'; did you mean 'v"),
        ("machine/zzz", "machines: there is no machine 'zzz'."),
    ],
)
def test_wrong_names_are_told_with_the_nearest(tmp_path, what, said):
    file = write(tmp_path, TWO_SHARDS)
    done = run(file, what)
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"{file}: {said}" in done.stderr


TWO_TURNS = {
    "kind": "Fleet",
    "machines": [
        machine("i{}", count=3, state="IDLE"),
        machine("q{}", count=2, capacityType="on-demand", pricePerHour=2.5),
        machine("r", capacityType="on-demand", pricePerHour=3),
    ],
    "needs": [need("big", "a", priority=9, count=2), need("small", "b", priority=5, count=2)],
}
"""When small's turn comes one of three idle machines is left, and it buys one more."""


def test_a_need_is_told_of_as_of_its_turn(tmp_path):
    told = tree(write(tmp_path, TWO_TURNS), "need/small")
    assert (told["refused"], told["lost"]) == ({"AVAILABLE": 2}, {"ID": 1, "COST": 1})
    assert told["takenBefore"] == {"big": 2}
    assert [(row["chosenAs"], row["lost"], row["dearerBy"]) for row in told["classes"]] == [
        ({"IDLE": 1}, {}, 0),
        ({"SPECULATIVE": 1}, {"ID": 1}, 0),
        ({}, {"COST": 1}, 0.5),
    ]
    assert [(row["chosen"], row["left"]) for row in told["classes"]] == [(1, 0), (1, 1), (0, 1)]
    assert set(told["words"]) == {"IDLE", "SPECULATIVE", "ID", "COST", "AVAILABLE"}


def test_a_machine_is_told_of_turn_by_turn(tmp_path):
    file = write(tmp_path, TWO_TURNS)
    turns = [
        [(row["need"], row["outcome"], row["rule"]) for row in tree(file, what)["needs"]]
        for what in ("machine/i0", "machine/r")
    ]
    assert turns == [
        [("big", "chosen", None), ("small", "refused", "AVAILABLE")],
        [("big", "lost", "IDLE_FIRST"), ("small", "lost", "COST")],
    ]
    assert "; big had taken it before" in run(file, "machine/i0").stdout
    assert "dearer than all that were chosen, by 0.5 USD/h" in run(file, "machine/r").stdout


def test_a_machine_that_is_taken_away(tmp_path):
    file = write(tmp_path, TWO_SHARDS)
    drained = tree(file, "need/train")["ordered"][-1]["machine"]
    told = tree(file, f"machine/{drained}")
    assert (told["action"]["action"], told["serves"], told["servesAfter"]) == (
        "drain", "low", "train",
    )  # fmt: skip
    assert {row["need"] for row in told["needs"]} == {"train", "burst", "low"}


def test_the_table_says_it_in_words(tmp_path):
    file = write(tmp_path, TWO_SHARDS)
    assert "3, WaitingForDrain" in run(file, "need/train").stdout
    assert "free elsewhere" in run(file, "need/train", "-o", "wide").stdout
    assert "is pinned" in run(file, "machine/v0").stdout
    assert run(file, "machine/v0", "-o", "name").stdout == "v0\n"
