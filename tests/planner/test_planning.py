"""Plans for whole fleets: what holds of every one, and worlds by hand that must get theirs."""

from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
from builders import RACK, machine, need
from builders import fleet as building
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from lending import lending_fleets
from strategies import fleets, shuffled

from models import labels
from models.action import Verb
from models.columns import fleet_of
from models.fleet import Fleet
from models.machine import CapacityType, State
from models.outcome import Outcome
from models.plan import MoveKind
from models.rows import FleetRows
from models.settings import settings_from
from planner.planning import Planned, plan_fleet, taken_by

SOAKING = settings.get_current_profile_name() == "soak"
SETTINGS = settings_from({"rebalance": {"workers": 1}})
# A draw of a whole fleet takes long, which hypothesis would report.
QUIET = {"deadline": None, "suppress_health_check": list(HealthCheck)}


def examples(count: int) -> int:
    return 20_000 if SOAKING else count


def keeps_its_promises(rows: FleetRows) -> Planned:
    """Plan, and check what holds of every plan; ``plan_fleet`` itself raises where the judge does.

    Without a complaint the plan is the solver's: it passed the judge, no other took its place.
    """
    world = fleet_of(rows)
    before = columns(world)
    planned = plan_fleet(world, SETTINGS)
    assert planned.complaint == ""
    assert planned.plan.outcome in (Outcome.OPTIMAL, Outcome.FEASIBLE)
    after = columns(world)
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    touched = [action.machine for action in planned.actions] + moved(planned)
    assert len(touched) == len(set(touched))
    adds_up(planned)
    return planned


def columns(world: Fleet) -> dict[str, np.ndarray]:
    """Copy every column; an unknown number is written -1, so that it equals itself."""
    tables = {"": world, "machines": world.machines, "cells": world.cells, "by": world.numbers}
    found = {
        f"{table}.{field.name}": np.array(getattr(row, field.name))
        for table, row in tables.items()
        for field in fields(row)
        if isinstance(getattr(row, field.name), np.ndarray)
    }
    assert {"machines.serves", "machines.state", "by.price_per_hour"} <= found.keys()
    return {
        name: np.nan_to_num(column, nan=-1) if column.dtype.kind == "f" else column
        for name, column in found.items()
    }


def moved(planned: Planned) -> list[int]:
    return [row for move in planned.plan.moves for row in move.machines]


def adds_up(planned: Planned) -> None:
    """Follow each machine: what a level is said to get is what its needs have in the end."""
    plan, standing = planned.plan, planned.standing
    needs = standing.fleet.needs
    after = (standing.have + standing.waiting).tolist()
    for move in plan.moves:
        for need_row, change in ((move.need, 1), (move.victim, -1)):
            if need_row >= 0:
                after[need_row] += change * len(move.machines)
    for level in plan.levels:
        rows = [n for n, row in enumerate(needs) if row.priority == level.priority]
        assert level.served == sum(after[n] for n in rows)
        assert level.asked == sum(needs[n].count for n in rows)
        assert level.served <= level.bound <= level.asked
    assert [level.priority for level in plan.levels] == sorted({n.priority for n in needs})[::-1]
    lost = Counter({entry.need: entry.count for entry in plan.displaced})
    victims = [move.victim for move in plan.moves for _ in move.machines]
    assert lost == Counter(victim for victim in victims if victim >= 0)


@settings(max_examples=examples(80), **QUIET)
@given(fleets())
def test_a_plan_of_any_fleet_keeps_its_promises(rows):
    keeps_its_promises(rows)


@settings(max_examples=examples(100), **QUIET)
@given(lending_fleets())
def test_a_plan_of_shards_that_lend_keeps_its_promises(rows):
    keeps_its_promises(rows)


def test_plans_of_shards_that_lend_are_rarely_empty():
    """Else the tests above would show little. The same fleets at every run."""
    seen: Counter[str] = Counter()

    @seed(2)
    @settings(max_examples=80, database=None, phases=[Phase.generate], **QUIET)
    @given(lending_fleets())
    def look(rows):
        planned = plan_fleet(fleet_of(rows), SETTINGS)
        moves, needs = planned.plan.moves, planned.standing.fleet.needs
        seen.update({str(move.kind) for move in moves})
        seen["of victims"] += any(move.victim >= 0 for move in moves)
        seen["for gangs"] += any(needs[move.need].is_gang for move in moves)
        seen["evenly"] += any(bool(needs[move.need].spread) for move in moves)
        seen["drains within"] += any(action.verb is Verb.DRAIN for action in planned.actions)

    look()
    assert seen["drain-and-transfer"] >= 10
    others = ("of victims", "for gangs", "evenly", "drains within", "transfer-speculative")
    assert min(seen[kind] for kind in others) >= 3


@settings(max_examples=examples(50), **QUIET)
@given(lending_fleets() | fleets(), st.data())
def test_the_order_of_the_rows_is_of_no_account(rows, data):
    other = data.draw(shuffled(rows))
    assert by_name(other) == by_name(rows)


def by_name(rows: FleetRows) -> tuple[object, ...]:
    """Give a plan and the orders beside it without a row number; the time it took is left out."""
    world = fleet_of(rows)
    planned = plan_fleet(world, SETTINGS)
    ids = world.machines.ids.tolist()
    needs = {-1: None} | {n: (row.cluster, row.id) for n, row in enumerate(world.needs)}
    moves = [
        replace(
            move,
            machines=tuple(ids[row] for row in move.machines),
            machine_class=world.classes[move.machine_class],
            source=world.shards[move.source].name,
            target=world.shards[move.target].name,
            need=needs[move.need],
            victim=needs[move.victim],
        )
        for move in planned.plan.moves
    ]
    plan = replace(
        planned.plan,
        moves=tuple(moves),
        unmet=tuple(replace(entry, need=needs[entry.need]) for entry in planned.plan.unmet),
        displaced=tuple(replace(entry, need=needs[entry.need]) for entry in planned.plan.displaced),
        seconds=0.0,
    )
    actions = [replace(a, machine=ids[a.machine], need=needs[a.need]) for a in planned.actions]
    return plan, actions


def lenders(*needs, machines=()):
    """Shard s0 owns a, which has nothing; s1 owns b, which has the machines."""
    builder = building().shard("s0", "a").shard("s1", "b").needs(*needs)
    for row, serves in machines:
        builder.machines(row, serves=serves)
    return builder.build()


def running(id, serves="b/low", **given):
    return machine(id, State.CONFIGURED, cluster="b", shard="s1", **given), serves


def free(id, state=State.IDLE, **given):
    return machine(id, state, shard="s1", **given), None


def planned_for(world: Fleet) -> tuple[set[str], set[str]]:
    """Give the ids of the machines that the plan moves, and of those the cycles order."""
    planned = plan_fleet(world, SETTINGS)
    assert planned.complaint == ""
    ids = world.machines.ids
    return {ids[row] for row in moved(planned)}, {ids[a.machine] for a in planned.actions}


LOW = need("b/low", 4)
HIGH = 1_000_000


def test_the_low_gives_way_to_the_high_of_another_shard():
    machines = [running(f"m{index}") for index in range(4)]
    high = need("a/high", 1, HIGH)
    assert planned_for(lenders(high, LOW, machines=machines)) == ({"m0"}, set())


@pytest.mark.parametrize(("gap", "moves"), [(99_999, set()), (100_000, {"m0"})])
def test_only_over_the_least_gap(gap, moves):
    world = lenders(need("a/high", 1, gap), need("b/low"), machines=[running("m0")])
    assert planned_for(world) == (moves, set())


def test_what_is_pinned_stays():
    machines = [running("m0", pinned=True), running("m1"), free("m2", pinned=True)]
    assert planned_for(lenders(need("a/high", 3, HIGH), LOW, machines=machines))[0] == {"m1"}


def test_a_gang_gets_one_rack_whole():
    """Three are free, but in two racks; of the racks that could hold it one costs fewer drains."""
    machines = [
        *(free(f"f{rack}{index}", rack=rack) for rack, index in (("r1", 0), ("r2", 0), ("r2", 1))),
        *(running(f"m{rack}{index}", rack=rack) for rack in ("r1", "r2") for index in (0, 1)),
    ]
    gang = need("a/gang", 3, HIGH, same=RACK)
    assert planned_for(lenders(gang, LOW, machines=machines))[0] == {"fr20", "fr21", "mr20"}
    alone = need("a/gang", 5, HIGH, same=RACK)
    assert planned_for(lenders(alone, LOW, machines=machines)) == (set(), set())


def test_a_spread_is_kept_over_what_comes():
    """The zones are those of the machines that the shard has and gets."""
    machines = [free("m0"), free("m1"), free("m2", zone="z2"), free("m3", zone="z3")]
    even = need("a/even", 3, HIGH, spread=labels.ZONE)
    moves, _ = planned_for(lenders(even, machines=machines))
    assert moves >= {"m2", "m3"}
    assert len(moves) == 3


def test_a_floor_takes_what_is_safe_though_it_must_be_drained():
    risky = [free(f"m{index}", capacity=CapacityType.SPOT, risk=0.1) for index in range(3)]
    floored = need("a/high", 2, HIGH, floor=1)
    moves, _ = planned_for(lenders(floored, need("b/low"), machines=[*risky, running("safe")]))
    assert moves == {"m0", "safe"}


def test_what_the_plan_moves_no_cycle_drains_or_deletes():
    """Both machines have stood unused for ever: without the plan they would be let go."""
    machines = [running("excess", serves=None), free("idle", capacity=CapacityType.SPOT)]
    assert planned_for(lenders(machines=machines)) == (set(), {"excess", "idle"})
    high = need("a/high", 2, HIGH)
    assert planned_for(lenders(high, machines=machines)) == ({"excess", "idle"}, set())
    one = need("a/high", 1, HIGH)
    assert planned_for(lenders(one, machines=machines)) == ({"idle"}, {"excess"})


def test_a_shadow_cluster_lends_nothing_and_borrows_nothing():
    builder = building().shard("s0", "a").shard("s1", "b").shadow("b")
    builder.needs(need("a/high", 2, HIGH), need("b/low", 3, HIGH))
    for row, serves in (running("m"), free("f")):
        builder.machines(row, serves=serves)
    assert planned_for(builder.build())[0] == {"f"}


def test_each_move_serves_what_its_level_says():
    planned = plan_fleet(lenders(need("a/high", 2, HIGH), LOW, machines=[running("m0")]), SETTINGS)
    high, low = planned.plan.levels
    assert (high.served, high.asked, low.served, low.asked) == (1, 2, 0, 4)
    assert [move.kind for move in planned.plan.moves] == [MoveKind.DRAIN_AND_TRANSFER]


def test_what_only_changes_its_owner_is_not_taken():
    built = building().shard("s0", "a").shard("s1").needs(need("a/n", 1))
    fleet = built.machines(machine("m", shard="s1")).build()
    plan = plan_fleet(fleet, SETTINGS).plan
    given_away = replace(plan, moves=tuple(replace(move, need=-1) for move in plan.moves))
    assert taken_by(fleet, plan).tolist() == [True]
    assert taken_by(fleet, given_away).tolist() == [False]
