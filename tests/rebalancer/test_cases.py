"""Small worlds whose answer a person can read off: sources in order, priorities, gangs, donors."""

from collections import Counter
from dataclasses import replace
from math import nan

import numpy as np
import pytest
from worlds import RACK, World

from models.machine import CapacityType, State
from models.need import Spread
from models.outcome import Outcome
from models.plan import Plan
from models.requirement import Operator, Requirement
from models.standing import Standing
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import fallback, solve
from rebalancer.transfer_rules import TransferRules

IDLE, NEW, DRAIN = "transfer-idle", "transfer-speculative", "drain-and-transfer"


def solved(standing: Standing, rules: TransferRules | None = None) -> Plan:
    return solve(snapshot_of(standing, rules), DEFAULT_GOALS, Limits(None))


def kinds(plan: Plan) -> Counter[str]:
    found: Counter[str] = Counter()
    for move in plan.moves:
        found[str(move.kind)] += len(move.machines)
    return found


def ids(standing: Standing, plan: Plan) -> list[str]:
    names = standing.fleet.machines.ids
    return sorted(names[row] for move in plan.moves for row in move.machines)


def unmet(standing: Standing, plan: Plan) -> dict[str, int]:
    return {standing.fleet.needs[u.need].name: u.count for u in plan.unmet}


def displaced(standing: Standing, plan: Plan) -> dict[str, int]:
    return {standing.fleet.needs[d.need].name: d.count for d in plan.displaced}


def two_shards() -> World:
    return World().shard("s0", "a").shard("s1", "b")


@pytest.mark.parametrize("ask", [solve, fallback], ids=["solver", "greedy"])
@pytest.mark.parametrize(
    ("count", "expected"), [(1, ["i1"]), (2, ["i0", "i1"]), (3, ["i0", "i1", "q"])]
)
def test_an_idle_machine_of_unknown_price_goes_last_but_before_a_slot(ask, count, expected):
    world = two_shards().need("a/x", count, 5)
    world.machines("i0", shard="s1", instance_type="a", price_per_hour=nan)
    world.machines("i1", shard="s1", instance_type="b", price_per_hour=5.0)
    world.machines("q", shard="s1", state=State.SPECULATIVE, price_per_hour=0.0)
    standing = world.standing()
    plan = ask(snapshot_of(standing), DEFAULT_GOALS, Limits(None))
    assert ids(standing, plan) == expected


@pytest.mark.parametrize(
    ("priority", "seconds", "expected"),
    [(899_999, 901.0, ["q"]), (900_000, 900.0, ["q"]), (900_000, 901.0, [])],
)
def test_a_slot_that_tier_1_would_pass_over_stays(priority, seconds, expected):
    world = two_shards().need("a/x", 1, priority)
    world.machines("q", shard="s1", state=State.SPECULATIVE, ready_seconds=seconds)
    standing = world.standing()
    assert ids(standing, solved(standing)) == expected


def test_idle_then_speculative_then_drain():
    world = two_shards().machines("i", 2, shard="s1")
    world.machines(
        "q",
        2,
        shard="s1",
        state=State.SPECULATIVE,
        capacity_type=CapacityType.ON_DEMAND,
        price_per_hour=30.0,
    )
    world.running("v", 40, "b/low", shard="s1")
    world.need("a/high", 6, 1_000_000).need("b/low", 40, 100_000)
    standing = world.standing()
    plan = solved(standing)
    assert plan.outcome is Outcome.OPTIMAL
    assert kinds(plan) == {IDLE: 2, NEW: 2, DRAIN: 2}
    assert unmet(standing, plan) == {}
    assert displaced(standing, plan) == {"low": 2}
    assert ids(standing, plan) == ["i0", "i1", "q0", "q1", "v0", "v1"]
    assert [(level.priority, level.asked, level.served, level.bound) for level in plan.levels] == [
        (1_000_000, 6, 6, 6),
        (100_000, 40, 38, 38),
    ]


@pytest.mark.parametrize("home_priority", [5, 6])
def test_a_donor_keeps_what_it_lacks_itself(home_priority: int):
    """Its own cycle left the machine, say for a while; that changes nothing."""
    world = two_shards().machines("i", shard="s1")
    world.need("a/away", 1, 5).need("b/home", 1, home_priority)
    standing = world.standing()
    plan = solved(standing)
    assert plan.outcome is Outcome.OPTIMAL
    assert plan.moves == ()
    assert unmet(standing, plan) == {"away": 1, "home": 1}


def test_a_donor_gives_to_a_higher_need_what_a_lower_one_of_its_own_lacks():
    world = two_shards().machines("i", shard="s1").need("a/away", 1, 6).need("b/home", 1, 5)
    standing = world.standing()
    assert unmet(standing, solved(standing)) == {"home": 1}


def test_a_donor_gives_what_its_own_gang_cannot_use_anyway():
    world = (
        two_shards().machines("i", 3, shard="s1", rack="r1").machines("j", shard="s1", rack="r2")
    )
    world.need("a/away", 4, 5).need("b/gang", 4, 5, same=RACK)
    standing = world.standing()
    assert unmet(standing, solved(standing)) == {"gang": 4}


def test_priority_is_lexicographic():
    world = World().shard("s0", "a").shard("s1", "b").shard("s2", "c")
    world.machines("i", 50, shard="s2", rack="r1")
    world.need("a/one", 1, 500_001).need("b/fifty", 50, 500_000, same=RACK)
    standing = world.standing()
    plan = solved(standing)
    assert kinds(plan) == {IDLE: 1}
    assert unmet(standing, plan) == {"fifty": 50}
    assert plan.levels[1].bound == 0


def test_totals_hide_fragmentation():
    world = two_shards()
    world.machines("a", 3, shard="s1", rack="r1").machines("b", 5, shard="s1", rack="r2")
    world.need("a/gang", 4, 5, same=RACK)
    standing = world.standing()
    plan = solved(standing)
    assert ids(standing, plan) == ["b0", "b1", "b2", "b3"]
    assert len({move.unit for move in plan.moves}) == 1


def test_one_domain_shared_by_two_shards_does_not_make_a_gang():
    world = World().shard("s0", "a").shard("s1", "b").shard("s2", "c")
    world.machines("x", 2, shard="s1", rack="r1").machines("y", 2, shard="s2", rack="r1")
    world.need("a/gang", 4, 5, same=RACK)
    assert solved(world.standing()).moves == ()


def test_a_gang_that_holds_machines_stays_in_its_domain():
    world = two_shards().running("h", 2, "a/gang", shard="s0", rack="r1")
    world.machines("x", 5, shard="s1", rack="r2").machines("y", 2, shard="s1", rack="r1")
    world.need("a/gang", 4, 5, same=RACK)
    standing = world.standing()
    assert ids(standing, solved(standing)) == ["y0", "y1"]


@pytest.mark.parametrize(("victim", "drained"), [(900_000, 0), (800_001, 0), (800_000, 1)])
def test_only_over_the_gap_is_anybody_drained(victim: int, drained: int):
    world = two_shards().running("v", 40, "b/y", shard="s1")
    world.need("a/x", 1, 900_000).need("b/y", 40, victim)
    standing = world.standing()
    plan = solved(standing)
    assert kinds(plan)[DRAIN] == drained
    assert unmet(standing, plan) == ({} if drained else {"x": 1})


def test_the_lowest_victims_and_those_who_serve_nobody_go_first():
    world = two_shards()
    world.running("m", 3, "b/mid", shard="s1").running("l", 1, "b/low", shard="s1")
    world.machines("e", shard="s1", state=State.CONFIGURED, cluster="b")
    world.need("a/x", 3, 900_000).need("b/mid", 3, 200_000).need("b/low", 1, 100_000)
    standing = world.standing()
    plan = solved(standing)
    assert ids(standing, plan) == ["e", "l", "m0"]
    assert displaced(standing, plan) == {"mid": 1, "low": 1}


def test_a_gang_victim_is_broken_once_rather_than_two_gangs():
    """Two machines of one gang cost 50 + 2 x 10, one of each of two gangs 50 + 50 + 2 x 10."""
    penalties = {"interruption_penalty": 50.0, "reclamation_penalty": 10.0}
    world = two_shards()
    world.running("g", 2, "b/g", shard="s1", rack="r1").running(
        "h", 2, "b/h", shard="s1", rack="r1"
    )
    world.need("a/x", 2, 900_000).need("b/g", 2, 5, same=RACK, **penalties)
    world.need("b/h", 2, 5, same=RACK, **penalties)
    plan = solved(world.standing())
    assert len({move.victim for move in plan.moves}) == 1
    assert plan.goals["preemption_damage"].after == 70


def test_untouched_machines_stay():
    world = two_shards().machines("p", shard="s1", pinned=True)
    world.running("v", 1, "b/low", shard="s1", pinned=True)
    world.machines("u", shard="s1", state=State.SPECULATIVE, price_per_hour=float("nan"))
    world.need("a/high", 3, 1_000_000).need("b/low", 1, 0)
    assert solved(world.standing()).moves == ()


def test_a_machine_of_unknown_price_that_exists_may_move():
    world = two_shards().machines("i", shard="s1", price_per_hour=float("nan"))
    world.need("a/high", 1, 5)
    plan = solved(world.standing())
    assert kinds(plan) == {IDLE: 1}
    assert plan.goals["running_cost"].after == 0


def test_cooling_machines_stay():
    standing = two_shards().machines("i", 2, shard="s1").need("a/x", 2, 5).standing()
    cooling = standing.fleet.machines.ids == "i0"
    plan = solve(snapshot_of(standing, None, cooling), DEFAULT_GOALS, Limits(None))
    assert ids(standing, plan) == ["i1"]


def test_the_floor_is_kept_free_of_interruptible_machines():
    world = two_shards().machines(
        "s", 4, shard="s1", interruption_probability=0.1, rack="r1", price_per_hour=1.0
    )
    world.need("a/x", 4, 5, floor=3)
    standing = world.standing()
    assert unmet(standing, solved(standing)) == {"x": 3}


def test_what_the_need_holds_counts_against_the_floor():
    spot = {"interruption_probability": 0.1, "rack": "r1", "price_per_hour": 1.0}
    world = two_shards().machines("s", 4, shard="s1", **spot)
    world.running("h", 1, "a/x", shard="s0", **spot).need("a/x", 4, 5, floor=2)
    standing = world.standing()
    assert unmet(standing, solved(standing)) == {"x": 2}


def spread_over_racks(skew: int = 1) -> dict[str, object]:
    return {"spread": (Spread(RACK, skew),)}


def test_the_skew_is_kept_with_what_is_held_and_what_arrives():
    """Held 1 in r1, 0 in r2: one to r2, then one to each."""
    world = two_shards().running("h", 1, "a/x", shard="s0", rack="r1")
    world.machines("o", shard="s0", rack="r2", pinned=True)
    world.machines("i", 3, shard="s1", rack="r1").machines("j", 1, shard="s1", rack="r2")
    world.need("a/x", 5, 5, **spread_over_racks())
    standing = world.standing()
    assert ids(standing, solved(standing)) == ["i0", "j"]


def test_a_rack_that_opens_for_another_need_counts():
    """r2 comes to s0 with the higher need; from then on r1 may hold one of x, no more."""
    world = two_shards().machines("o", shard="s0", rack="r1", pinned=True)
    world.machines("i", 3, shard="s1", rack="r1").machines("j", 1, shard="s1", rack="r2")
    world.need("a/x", 3, 5, **spread_over_racks())
    in_r2 = Requirement(RACK, Operator.IN, ("r2",))
    world.need("a/y", 1, 6, requirements=(in_r2,))
    standing = world.standing()
    assert ids(standing, solved(standing)) == ["i0", "j"]


def test_a_rack_that_opens_in_another_shard_does_not_count():
    world = World().shard("s0", "a").shard("s1", "b").shard("s2", "c")
    world.machines("o", shard="s0", rack="r1", pinned=True)
    world.machines("i", 3, shard="s1", rack="r1").machines("j", 1, shard="s1", rack="r2")
    world.need("a/x", 3, 5, **spread_over_racks())
    in_r2 = Requirement(RACK, Operator.IN, ("r2",))
    world.need("c/y", 1, 6, requirements=(in_r2,))
    standing = world.standing()
    assert ids(standing, solved(standing)) == ["i0", "i1", "i2", "j"]


@pytest.mark.parametrize(("most", "moved"), [(None, 6), (4, 4), (0, 0)])
def test_at_most_so_many_moves(most: int | None, moved: int):
    standing = two_shards().machines("i", 6, shard="s1").need("a/x", 6, 5).standing()
    assert kinds(solved(standing, TransferRules(max_moves=most))).total() == moved


def test_what_drains_for_a_need_already_serves_its_level():
    standing = two_shards().machines("i", shard="s1").need("a/x", 5, 7).standing()
    draining = replace(standing, waiting=np.array([3]), short=np.array([2]))
    (level,) = solved(draining).levels
    assert (level.asked, level.served, level.bound) == (5, 4, 4)


def test_what_nothing_asks_for_is_optimal_and_moves_nothing():
    plan = solved(two_shards().machines("i", 6, shard="s1").standing())
    assert (plan.outcome, plan.moves, plan.levels, plan.unmet) == (Outcome.OPTIMAL, (), (), ())
