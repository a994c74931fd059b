"""Plans of ownership for whole fleets: what holds of every one, and worlds in words."""

import os
import time
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import count, product

import numpy as np
import pytest
from builders import RACK, fleet, machine, need
from hypothesis import HealthCheck, Phase, event, given, seed, settings
from hypothesis import strategies as st
from owned import racked_fleets, wishes_of
from strategies import fleets, shuffled

from models.columns import fleet_of
from models.errors import InputFault
from models.fleet import Fleet
from models.machine import State
from models.outcome import Outcome
from models.plan import MoveKind
from models.settings import settings_from
from planner import owning
from planner.owning import Owned, Wishes, own_fleet, with_shards
from planner.timely import TOO_SHORT

SOAKING = settings.get_current_profile_name() == "soak"
SETTINGS = settings_from({})
QUIET = {"deadline": None, "suppress_health_check": list(HealthCheck)}
NOTHING = Wishes()


def examples(count: int) -> int:
    return 20_000 if SOAKING else count


def owners(owned: Owned) -> dict[str, str]:
    """Give the shard of each machine afterwards."""
    machines, shards = owned.fleet.machines, owned.fleet.shards
    after = machines.shard.tolist()
    for move in owned.planned.plan.moves:
        for row in move.machines:
            after[row] = move.target
    return {name: shards[s].name for name, s in zip(machines.ids, after, strict=True)}


@settings(max_examples=examples(100), **QUIET)
@given(st.data(), racked_fleets() | fleets())
def test_a_plan_of_any_fleet_passes_the_judge(data, rows):
    """``own_fleet`` complains where the judge finds anything."""
    wishes = data.draw(wishes_of(rows))
    owned = own_fleet(fleet_of(rows), SETTINGS, wishes)
    plan = owned.planned.plan
    event(str(plan.outcome))
    assert plan.outcome in (Outcome.OPTIMAL, Outcome.FEASIBLE, Outcome.INFEASIBLE)
    assert (plan.outcome is Outcome.INFEASIBLE) == bool(plan.conflicts)
    assert owned.planned.complaint == ""
    touched = [row for move in plan.moves for row in move.machines]
    touched += [action.machine for action in owned.planned.actions]
    assert len(touched) == len(set(touched))


def test_plans_of_racked_fleets_are_rarely_empty():
    """Else the tests above would show little. The same fleets at every run."""
    seen: Counter[str] = Counter()

    @seed(1)
    @settings(max_examples=150, database=None, phases=[Phase.generate], **QUIET)
    @given(st.data(), racked_fleets())
    def look(data, rows):
        plan = own_fleet(fleet_of(rows), SETTINGS, data.draw(wishes_of(rows))).planned.plan
        seen[str(plan.outcome)] += 1
        seen.update({str(move.kind) for move in plan.moves})
        seen["clusters"] += bool(plan.clusters)

    look()
    assert min(seen[str(outcome)] for outcome in (Outcome.OPTIMAL, Outcome.INFEASIBLE)) >= 10
    assert min(seen[name] for name in ("transfer-idle", "transfer-speculative")) >= 15
    assert seen["clusters"] >= 5
    assert seen[str(Outcome.FEASIBLE)] >= 1


@settings(max_examples=examples(40), **QUIET)
@given(st.data(), racked_fleets())
def test_the_order_of_the_rows_is_of_no_account(data, rows):
    wishes = data.draw(wishes_of(rows))
    plans = [
        own_fleet(fleet_of(each), SETTINGS, wishes).planned.plan
        for each in (rows, data.draw(shuffled(rows)))
    ]
    first, second = (
        (plan.outcome, plan.moves, plan.clusters, plan.conflicts, plan.goals) for plan in plans
    )
    assert first == second


@pytest.mark.parametrize(
    "slow", ["owning.own", "owning.audit_ownership"], ids=["sharing", "judging"]
)
def test_a_deadline_binds_it_and_then_everybody_keeps_what_it_has(monkeypatch, slow):
    world = world_of([row for n in range(4) for row in rack(f"r{n}")], {"s0": ["a"], "s1": []})
    original, real = os.getpid(), getattr(owning, slow.partition(".")[2])

    def slowly(*asked):
        if os.getpid() != original:
            time.sleep(60)
        return real(*asked)

    monkeypatch.setattr(f"planner.{slow}", slowly)
    short = settings_from({"rebalance": {"deadline": "200ms"}})
    begun = time.monotonic()
    owned = own_fleet(world, short, Wishes(retire=("s1",)))
    assert time.monotonic() - begun < 30
    plan = owned.planned.plan
    assert (plan.outcome, owned.planned.complaint) == (Outcome.FALLBACK, TOO_SHORT)
    assert (plan.moves, plan.clusters, plan.closed, plan.conflicts) == ((), (), (), ())
    assert set(owners(owned).values()) == {"s0"}
    assert plan.seconds >= 0.2


def test_seconds_are_those_of_the_sharing_and_not_of_the_cycles():
    world = world_of([row for n in range(4) for row in rack(f"r{n}")], {"s0": ["a"], "s1": []})
    ticks = count(100)
    planned = own_fleet(world, SETTINGS, NOTHING, lambda: float(next(ticks))).planned
    assert planned.cycles_seconds == 1.0
    assert planned.plan.seconds == next(ticks) - 1 - 102


def test_a_plan_that_breaks_a_rule_is_not_given(monkeypatch):
    world = world_of([row for n in range(4) for row in rack(f"r{n}")], {"s0": ["a"], "s1": []})
    real = owning.own

    def wrong(*asked):
        plan = real(*asked)
        return replace(plan, moves=plan.moves[:1])

    monkeypatch.setattr("planner.owning.own", wrong)
    planned = own_fleet(world, SETTINGS, NOTHING).planned
    assert (planned.plan.outcome, planned.plan.moves) == (Outcome.FALLBACK, ())
    assert planned.complaint.startswith("RuleBroken: ")


@settings(max_examples=examples(40), **QUIET)
@given(racked_fleets())
def test_a_second_plan_finds_nothing_to_do(rows):
    world = fleet_of(rows)
    owned = own_fleet(world, SETTINGS, NOTHING)
    # What was set aside for gangs is not remembered, so only a proven plan stands.
    if owned.planned.actions or owned.planned.plan.outcome is not Outcome.OPTIMAL:
        return
    row = {shard.name: number for number, shard in enumerate(world.shards)}
    after = np.array([row[owners(owned)[name]] for name in world.machines.ids], dtype=np.int32)
    then = replace(world, machines=replace(world.machines, shard=after))
    again = own_fleet(then, SETTINGS, NOTHING).planned.plan
    assert again.outcome is owned.planned.plan.outcome
    assert again.moves == ()


@settings(max_examples=examples(100), **QUIET)
@given(racked_fleets(max_racks=5))
def test_no_other_owners_are_more_alike_or_take_less_movement(rows):
    """Every way to own what may change hands is tried."""
    world = fleet_of(replace(rows, needs=()))
    owned = own_fleet(world, SETTINGS, NOTHING)
    plan = owned.planned.plan
    assert plan.outcome is Outcome.OPTIMAL
    free = owned.planned.standing.free & np.isnan(world.machines.reclaim_at)
    racks = members(world)
    homes = {rack: home_of(world, free, rows) for rack, rows in racks.items()}
    movable = [rack for rack, rows in racks.items() if all(free[row] for row in rows)]
    after = owners(owned)
    names = [shard.name for shard in world.shards]
    chosen = {rack: names.index(after[world.machines.ids[racks[rack][0]]]) for rack in movable}
    if len(names) ** len(movable) > 1_000:
        return
    best = min(
        value(world, racks, homes | dict(zip(movable, way, strict=True)), homes)
        for way in product(range(len(names)), repeat=len(movable))
    )
    assert value(world, racks, homes | chosen, homes) == best


def members(world: Fleet) -> dict[str, list[int]]:
    """Give the machines of each rack; a machine without is its own."""
    codes, names = world.cell_domains(RACK)
    if not len(names):
        pytest.skip("no machine has a rack.")
    found = defaultdict(list)
    for row, cell in enumerate(world.machines.cell.tolist()):
        found[names[codes[cell]] if codes[cell] >= 0 else world.machines.ids[row]].append(row)
    return found


def home_of(world: Fleet, free: np.ndarray, rows: list[int]) -> int:
    stuck = Counter(int(world.machines.shard[row]) for row in rows if not free[row])
    held = Counter(int(world.machines.shard[row]) for row in rows)
    return min(held, key=lambda shard: (-stuck[shard], -held[shard], shard))


def value(world: Fleet, racks, owner: dict[str, int], homes: dict[str, int]) -> tuple[int, ...]:
    """Give squares by group, by classes and sizes, and in total; then moves."""
    mix = {
        rack: tuple(sorted(Counter(world.machines.class_index[rows].tolist()).items()))
        for rack, rows in racks.items()
    }
    by_kind = defaultdict(set)
    for each in mix.values():
        by_kind[tuple(c for c, _ in each)].add(each)
    sets = []
    for alike in by_kind.values():
        order = sorted(alike, key=lambda each: (-sum(n for _, n in each), each))
        sets += [set(order[:n]) for n in range(2, len(order) + 1)]
    groups = [{each} for each in set(mix.values())]
    parts = (squares(some, mix, owner) for some in (groups, sets, [set(mix.values())]))
    return *parts, sum(owner[rack] != homes[rack] for rack in racks)


def squares(sets, mix, owner) -> int:
    return sum(
        n * n
        for each in sets
        for n in Counter(owner[rack] for rack in mix if mix[rack] in each).values()
    )


def rack(name: str, size: int = 2, **fields):
    return [machine(f"{name}-{place}", rack=name, **fields) for place in range(size)]


def lone(name: str, state: State = State.IDLE, **fields):
    """Give a machine that is in no domain."""
    return machine(name, state, zone=None, **fields)


def world_of(machines, clusters, needs=()) -> Fleet:
    building = fleet()
    for name, owned in clusters.items():
        building = building.shard(name, *owned)
    for row in machines:
        building = building.machines(row)
    return building.needs(*needs).build()


def test_a_new_shard_gets_half_of_the_racks_each_in_one_unit():
    racks = [row for number in range(4) for row in rack(f"r{number}")]
    owned = own_fleet(world_of(racks, {"s0": ["a"], "s1": []}), SETTINGS, NOTHING)
    plan = owned.planned.plan
    assert plan.outcome is Outcome.OPTIMAL
    assert [(move.kind, len(move.machines), move.need) for move in plan.moves] == [
        (MoveKind.TRANSFER_IDLE, 2, -1)
    ] * 2
    assert len({move.unit for move in plan.moves}) == 2
    assert Counter(owners(owned).values()) == {"s0": 4, "s1": 4}
    assert "holds 4 and then 2" in plan.moves[0].reason
    assert len(plan.moves[0].preconditions) == 3


def test_a_rack_in_use_stays_and_counts():
    racks = [
        *rack("r0", state=State.CONFIGURED, cluster="a"),
        *rack("r1", state=State.CONFIGURED, cluster="a"),
        *[row for number in (2, 3) for row in rack(f"r{number}")],
    ]
    # Two run in s0, so both free ones go to s1. The needs keep what runs.
    serving = [need("a/n", 4, gpu=8)]
    owned = own_fleet(world_of(racks, {"s0": ["a"], "s1": []}, serving), SETTINGS, NOTHING)
    assert {name: shard for name, shard in owners(owned).items() if shard == "s1"} == {
        "r2-0": "s1", "r2-1": "s1", "r3-0": "s1", "r3-1": "s1",
    }  # fmt: skip


def test_a_class_is_alike_though_the_totals_are_not():
    """What runs in s1 is no reason to give s0 all sizes of another class."""
    running = [
        row for n in range(6)
        for row in rack(f"y{n}", 1, shard="s1", state=State.CONFIGURED, cluster="b", gpu=9)
    ]  # fmt: skip
    racks = [row for n in (1, 2, 3, 4) for row in rack(f"x{n}", n, shard="s1")]
    serving = [need("b/n", 6, gpu=9)]
    owned = own_fleet(
        world_of([*running, *racks], {"s0": [], "s1": ["b"]}, serving), SETTINGS, NOTHING
    )
    after = {name[:2]: shard for name, shard in owners(owned).items() if name[0] == "x"}
    assert Counter(after.values()) == {"s0": 2, "s1": 2}
    assert after["x4"] != after["x3"]


@pytest.mark.parametrize(
    "trouble",
    [{"pinned": True}, {"reclaim_at": 60.0}, {"state": State.FAILED}],
    ids=["pinned", "noticed", "failed"],
)
def test_one_machine_that_must_stay_keeps_its_rack(trouble):
    machines = [machine("m0", rack="r0", **trouble), machine("m1", rack="r0")]
    owned = own_fleet(world_of(machines, {"s0": ["a"], "s1": []}), SETTINGS, NOTHING)
    assert owned.planned.plan.moves == ()
    assert owned.planned.plan.outcome is Outcome.OPTIMAL


def test_what_a_cycle_takes_is_not_free():
    """Both machines are idle, but a need of s0 is given one of them first."""
    machines = [lone("m0"), lone("m1")]
    world = world_of(machines, {"s0": ["a"], "s1": []}, [need("a/n", gpu=8)])
    owned = own_fleet(world, SETTINGS, NOTHING)
    assert [action.machine for action in owned.planned.actions] == [0]
    assert owners(owned) == {"m0": "s0", "m1": "s1"}


def test_a_split_rack_becomes_whole_where_most_of_it_is():
    machines = [*rack("r0", 2), machine("r0-2", rack="r0", shard="s1")]
    owned = own_fleet(world_of(machines, {"s0": ["a"], "s1": []}), SETTINGS, NOTHING)
    assert set(owners(owned).values()) == {"s0"}
    assert owned.planned.plan.moves[0].reason.startswith("The rest of z1/r0 is of s0")


def test_a_shard_that_retires_gives_racks_and_clusters():
    racks = [*rack("r0"), *rack("r1", shard="s1"), *rack("r2", shard="s2")]
    clusters = {"s0": ["a"], "s1": ["b", "c"], "s2": []}
    owned = own_fleet(world_of(racks, clusters), SETTINGS, Wishes(retire=("s1",)))
    plan = owned.planned.plan
    assert {owners(owned)[name] for name in ("r1-0", "r1-1")} < {"s0", "s2"}
    assert [(change.cluster, change.target) for change in plan.clusters] == [(1, 2), (2, 0)]
    assert plan.closed == (1,)


def test_a_shard_with_a_machine_in_use_cannot_retire():
    world = world_of(
        [lone("m0", State.CONFIGURED, cluster="a"), lone("m1", shard="s1")],
        {"s0": ["a"], "s1": []},
        [need("a/n", gpu=8)],
    )
    plan = own_fleet(world, SETTINGS, Wishes(retire=("s0",))).planned.plan
    assert plan.outcome is Outcome.INFEASIBLE
    assert "machine m0 must stay" in plan.conflicts[0]
    every = own_fleet(world, SETTINGS, Wishes(retire=("s0", "s1"))).planned.plan
    assert "Not every shard can go" in every.conflicts[0]


def test_what_leaves_counts_nowhere_and_is_not_moved():
    racks = [row for number in range(3) for row in rack(f"r{number}")]
    world = world_of(racks, {"s0": ["a"], "s1": []})
    owned = own_fleet(world, SETTINGS, Wishes(decommission=((RACK, "r0"),)))
    assert {owners(owned)[f"r0-{n}"] for n in (0, 1)} == {"s0"}
    assert Counter(owners(owned).values()) == {"s0": 4, "s1": 2}


def test_a_shard_with_too_many_clusters_is_split():
    world = world_of([lone(f"m{n}") for n in range(4)], {"s0": ["a", "b", "c"]})
    few = settings_from({"rebalance": {"max_clusters": 2}})
    owned = own_fleet(world, few, NOTHING)
    plan = owned.planned.plan
    assert [shard.name for shard in owned.fleet.shards] == ["s0", "s0-2"]
    assert (plan.added, [change.cluster for change in plan.clusters]) == ((1,), [0])
    assert Counter(owners(owned).values()) == {"s0": 2, "s0-2": 2}


def test_a_shard_whose_clusters_all_hold_machines_cannot_be_split():
    running = [lone(f"m{n}", State.CONFIGURED, cluster=name) for n, name in enumerate("abc")]
    needs = [need(f"{name}/n", gpu=8) for name in "abc"]
    few = settings_from({"rebalance": {"max_clusters": 2}})
    plan = own_fleet(world_of(running, {"s0": ["a", "b", "c"]}, needs), few, NOTHING).planned.plan
    assert plan.outcome is Outcome.INFEASIBLE
    assert plan.conflicts[0].startswith("s0 would keep 3 clusters, of which it may have 2")


def test_small_shards_are_merged_when_asked():
    world = world_of([lone("m0"), lone("m1", shard="s1")], {"s0": ["a"], "s1": ["b"]})
    merged = own_fleet(world, SETTINGS, Wishes(merge=True))
    assert set(owners(merged).values()) == {"s1"}
    assert merged.planned.plan.closed == (0,)
    assert own_fleet(world, SETTINGS, NOTHING).planned.plan.moves == ()


def test_the_only_rack_for_a_gang_goes_to_its_shard():
    """Of two large racks s0 would keep the first; the gang of s1 needs one of them."""
    racks = [*rack("r0", 3), *rack("r1", 2), *rack("r2", 2, shard="s1"), *rack("r3", 1)]
    gang = need("b/g", 3, gpu=8, same=RACK)
    owned = own_fleet(world_of(racks, {"s0": ["a"], "s1": ["b"]}, [gang]), SETTINGS, NOTHING)
    assert owned.planned.plan.outcome in (Outcome.OPTIMAL, Outcome.FEASIBLE)
    assert {owners(owned)[f"r0-{n}"] for n in range(3)} == {"s1"}


def test_one_rack_for_two_gangs_is_refused_with_the_rules_in_conflict():
    gangs = [need("a/g", 3, gpu=8, same=RACK), need("b/h", 3, gpu=8, same=RACK)]
    world = world_of([*rack("r0", 3), *rack("r1", 2)], {"s0": ["a"], "s1": ["b"]}, gangs)
    plan = own_fleet(world, SETTINGS, NOTHING).planned.plan
    assert plan.outcome is Outcome.INFEASIBLE
    assert plan.moves == ()
    said = " ".join(plan.conflicts)
    for part in ("its largest gang", "a like share", "owned whole", "s1 must keep"):
        assert part in said


def test_a_gang_that_nothing_could_hold_is_passed_over_for_the_next():
    gangs = [need("b/g", 9, gpu=8, same=RACK), need("b/h", 2, gpu=8, same=RACK)]
    world = world_of([*rack("r0", 2), *rack("r1", 1)], {"s0": ["a"], "s1": ["b"]}, gangs)
    assert owners(own_fleet(world, SETTINGS, NOTHING))["r0-0"] == "s1"


def test_more_than_a_plan_may_move_is_refused():
    world = world_of([lone(f"m{n}") for n in range(4)], {"s0": ["a"], "s1": []})
    for most, outcome in ((2, Outcome.OPTIMAL), (1, Outcome.INFEASIBLE)):
        limited = settings_from({"rebalance": {"max_moves": most}})
        assert own_fleet(world, limited, NOTHING).planned.plan.outcome is outcome


def test_wishes_for_what_is_not_there_are_refused_all_at_once():
    world = world_of(rack("r0"), {"s0": ["a"]})
    with pytest.raises(InputFault) as caught:
        own_fleet(world, SETTINGS, Wishes((("no/such", "x"), (RACK, "r9")), ("s9",)))
    assert [fault.path for fault in caught.value.faults] == [
        "--retire", "--decommission", "--decommission",
    ]  # fmt: skip


def test_new_shards_own_nothing_and_leave_the_others_theirs():
    world = world_of([lone("m0", shard="s1"), lone("m1", shard="s3")], {"s1": [], "s3": ["a"]})
    grown = with_shards(world, ["s2", "s0"])
    assert [shard.name for shard in grown.shards] == ["s0", "s1", "s2", "s3"]
    assert grown.machines.shard.tolist() == [1, 3]
    assert grown.shards[3].clusters == (0,)
