"""Gangs inside their own shard: what is open to them, what is kept for them and how long."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from worlds import RACK, World

from models.audit import audit_plan
from models.machine import State
from models.plan import Plan
from models.problem import Problem
from models.settings import Settings
from models.standing import Standing
from planner.cli.main import bigfleet
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve
from rebalancer.transfer_rules import TransferRules

IDLE, NEW, DRAIN = "transfer-idle", "transfer-speculative", "drain"


def solved(standing: Standing, *problems: Problem) -> Plan:
    rules = TransferRules(problems=problems or tuple(Problem))
    plan = solve(snapshot_of(standing, rules), DEFAULT_GOALS, Limits(None))
    assert audit_plan(standing, plan, Settings()) == ()
    return plan


def moved(standing: Standing, plan: Plan) -> dict[str, list[str]]:
    names = standing.fleet.machines.ids
    found: dict[str, list[str]] = {}
    for move in plan.moves:
        found.setdefault(str(move.kind), []).extend(names[row] for row in move.machines)
    return found


def one_of_each(**gang: object) -> World:
    """Give a rack with an idle, a speculative, an excess and a running machine."""
    world = World().shard("s0", "a", "b")
    world.machines("i", shard="s0", rack="r1")
    world.machines("q", shard="s0", rack="r1", state=State.SPECULATIVE)
    world.machines("e", shard="s0", rack="r1", state=State.CONFIGURED, cluster="b")
    world.running("v", 1, "b/low", shard="s0", rack="r1").need("b/low", 1, 4)
    return world.need("a/gang", 4, 5, **({"same": RACK} | gang))


def test_every_source_of_the_shard_goes_into_one_unit():
    standing = one_of_each().standing()
    plan = solved(standing)
    assert moved(standing, plan) == {IDLE: ["i"], NEW: ["q"], DRAIN: ["e", "v"]}
    assert {(move.unit, move.source, move.target) for move in plan.moves} == {("u1", 0, 0)}
    assert [entry.count for entry in plan.displaced] == [1]


def test_a_plain_need_is_left_to_the_cycle():
    standing = one_of_each(same=None).standing()
    assert solved(standing).moves == ()


@pytest.mark.parametrize("level", [5, 6])
def test_nobody_equal_or_higher_gives_way(level: int):
    world = one_of_each()
    world.running("w", 1, "b/even", shard="s0", rack="r2").need("b/even", 1, level)
    world.machines("j", 3, shard="s0", rack="r2").machines("p", shard="s0", rack="r1", pinned=True)
    standing = world.standing()
    assert moved(standing, solved(standing)) == {IDLE: ["i"], NEW: ["q"], DRAIN: ["e", "v"]}


@pytest.mark.parametrize(("level", "served"), [(4, True), (5, False), (6, False)])
def test_a_gang_waits_where_only_an_equal_could_make_room(level: int, served: bool):
    world = World().shard("s0", "a", "b").machines("j", 3, shard="s0", rack="r2")
    world.running("w", 1, "b/even", shard="s0", rack="r2").need("b/even", 1, level)
    standing = world.need("a/gang", 4, 5, same=RACK).standing()
    assert bool(solved(standing).moves) is served


def test_the_gap_is_for_other_shards_only():
    world = World().shard("s0", "a").shard("s1", "b").need("a/gang", 1, 100_000, same=RACK)
    world.running("near", 1, "a/low", shard="s0", rack="r1").need("a/low", 1, 99_999)
    world.running("far", 1, "b/low", shard="s1", rack="r1").need("b/low", 1, 1)
    standing = world.standing()
    assert moved(standing, solved(standing)) == {DRAIN: ["near"]}


@pytest.mark.parametrize(
    ("problems", "expected"),
    [
        ((Problem.PACKING, Problem.VICTIMS), {IDLE: ["i"], NEW: ["q"], DRAIN: ["e", "v"]}),
        ((Problem.PACKING,), {}),
        ((Problem.VICTIMS,), {}),
        ((Problem.TRANSFER,), {}),
    ],
)
def test_only_the_problems_asked_for_open_a_way(problems, expected):
    standing = one_of_each().standing()
    assert moved(standing, solved(standing, *problems)) == expected


@pytest.mark.parametrize(
    ("count", "problem", "expected"),
    [
        (2, Problem.PACKING, {IDLE: ["i"], NEW: ["q"]}),
        (2, Problem.VICTIMS, {DRAIN: ["e", "v"]}),
    ],
)
def test_packing_drains_nothing_and_victims_are_all_drained(count, problem, expected):
    standing = one_of_each().standing()
    standing = replace(standing, short=np.minimum(standing.short, count))
    assert moved(standing, solved(standing, problem)) == expected


def test_without_transfers_other_shards_keep_what_they_have():
    world = World().shard("s0", "a").shard("s1", "b").machines("i", shard="s1", rack="r1")
    standing = world.need("a/gang", 1, 5, same=RACK).need("a/x", 1, 5).standing()
    assert solved(standing, Problem.PACKING, Problem.VICTIMS).moves == ()
    assert moved(standing, solved(standing)) == {IDLE: ["i"]}


def test_cooling_machines_are_no_supply_at_home_either():
    standing = one_of_each().standing()
    cooling = np.array(standing.fleet.machines.ids == "v", dtype=np.bool_)
    plan = solve(snapshot_of(standing, None, cooling), DEFAULT_GOALS, Limits(None))
    assert plan.moves == ()


def test_a_shadow_clusters_machines_are_no_victims():
    world = one_of_each()
    world.builder.shadow("b")
    assert solved(world.standing()).moves == ()


def test_what_is_kept_is_kept_until_the_last_drain_of_its_unit():
    """Two drains at one a window: the second is due until 600 s, and so long the idle one waits."""
    standing = one_of_each().standing()
    plan = solved(standing)
    ends = {str(move.kind): move.expires_seconds for move in plan.moves}
    assert ends == {IDLE: 600.0, NEW: 600.0, DRAIN: 600.0}
    assert sorted(move.window for move in plan.moves if move.kind == DRAIN) == [0, 1]
    assert "b lacks" not in " ".join(text for move in plan.moves for text in move.preconditions)


def test_drains_at_home_and_for_other_shards_share_the_windows():
    world = World().shard("s0", "a").shard("s1", "b")
    world.running("h", 2, "a/low", shard="s0", rack="r1").need("a/low", 2, 1)
    world.need("a/gang", 1, 900_000, same=RACK).need("b/x", 1, 900_000)
    plan = solved(world.standing())
    assert sorted((str(move.kind), move.window) for move in plan.moves) in (
        [("drain", 0), ("drain-and-transfer", 1)],
        [("drain", 1), ("drain-and-transfer", 0)],
    )


def test_a_higher_gang_comes_first_and_two_lower_ones_do_not_outweigh_it():
    world = World().shard("s0", "a").machines("i", 4, shard="s0", rack="r1")
    world.need("a/low0", 2, 5, same=RACK).need("a/low1", 2, 5, same=RACK)
    world.need("a/high", 3, 6, same=RACK)
    standing = world.standing()
    unmet = {standing.fleet.needs[entry.need].id for entry in solved(standing).unmet}
    assert unmet == {"low0", "low1"}


def test_a_hundred_gangs_of_ten_fill_a_hundred_racks(tmp_path: Path):
    machine = {
        "id": "m{}", "count": 1000, "state": "IDLE", "host": {"provider": "p", "ref": "m{}"},
        "capacityType": "bare-metal", "pricePerHour": 0, "resources": {"gpu": "8"},
        "labels": {"rack": "r{//10}"},
    }  # fmt: skip
    gang = {"cluster": "a", "priority": 5, "count": 10, "resources": {"gpu": "8"}, "same": "rack"}
    fleet = {
        "apiVersion": "bigfleet.dev/v1", "kind": "Fleet", "metadata": {"name": "full"},
        "topology": ["rack"], "machines": [machine],
        "needs": [gang | {"id": f"g{number}"} for number in range(100)],
    }  # fmt: skip
    path = tmp_path / "fleet.json"
    path.write_text(json.dumps(fleet), "utf-8")
    out = json.loads(CliRunner().invoke(bigfleet, ["plan", str(path), "-o", "json"]).stdout)
    placed: dict[str, Counter[int]] = {}
    for row in out["actions"]:
        placed.setdefault(row["need"], Counter())[int(row["machine"][1:]) // 10] += 1
    assert (out["unmet"], out["moves"], len(placed)) == ([], [], 100)
    assert all(list(racks.values()) == [10] for racks in placed.values())
