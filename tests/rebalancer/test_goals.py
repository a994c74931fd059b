"""Each goal on a world small enough to work out by hand."""

from dataclasses import replace
from math import isfinite

import numpy as np
import pytest
from worlds import RACK, World

from models import labels
from models.builder import FleetBuilder
from models.machine import CapacityType, State
from models.plan import GoalValue
from models.requirement import Operator, Requirement
from models.rules import Goal
from rebalancer.goals.catalogue import GOALS
from rebalancer.goals.donor_headroom import donor_headroom
from rebalancer.limits import Limits
from rebalancer.problems.assignment import draft_of
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve

HIGH, LOW = 900_000, 0
SPINE = "spine"


def two_shards() -> World:
    return World().shard("s0", "a").shard("s1", "b")


def value(world: World, goal: Goal, weight: float = 2.0) -> GoalValue:
    """Solve with one goal alone."""
    plan = solve(snapshot_of(world.standing()), {goal: weight}, Limits(None))
    assert list(plan.goals) == [goal]
    found = plan.goals[goal]
    assert found.weight == weight
    assert found.cost == pytest.approx(weight * found.after)
    # The weights of deviations are thirds of a cent or less, rounded to whole micro-dollars.
    assert found.bound == pytest.approx(found.cost, abs=1e-4)
    return found


def test_damage_of_machines_on_their_own():
    """Two of three: the two that cost 10 and 10 (the need's 10 is above their own), not 30."""
    world = two_shards().running("v", 2, "b/y", shard="s1", reclamation_penalty=4.0)
    world.running("w", 1, "b/y", shard="s1", reclamation_penalty=30.0)
    world.need("a/x", 2, HIGH)
    world.need("b/y", 3, LOW, interruption_penalty=5.0, reclamation_penalty=10.0)
    found = value(world, Goal.PREEMPTION_DAMAGE)
    assert (found.before, found.after) == (0, 2 * (5 + 10))


def test_damage_of_a_gang_counts_its_interruption_once():
    world = two_shards().running("v", 3, "b/y", shard="s1", rack="r1", reclamation_penalty=4.0)
    world.need("a/x", 2, HIGH).need("b/y", 3, LOW, same=RACK, interruption_penalty=5.0)
    assert value(world, Goal.PREEMPTION_DAMAGE).after == 5 + 2 * 4


def test_who_serves_nobody_is_not_damaged():
    world = two_shards()
    world.machines("e", shard="s1", state=State.CONFIGURED, cluster="b", reclamation_penalty=9.0)
    world.need("a/x", 1, HIGH)
    assert value(world, Goal.PREEMPTION_DAMAGE).after == 0


def test_running_cost_counts_hosts_and_takes_the_cheaper_slots():
    slot = {"state": State.SPECULATIVE, "capacity_type": CapacityType.ON_DEMAND}
    world = two_shards().machines("i", shard="s1", price_per_hour=3.0)
    world.machines("u", shard="s0", price_per_hour=float("nan"), pinned=True)
    world.machines("p", 5, shard="s1", price_per_hour=7.0, **slot)
    world.machines("q", 1, shard="s1", price_per_hour=2.0, **slot)
    world.need("a/x", 3, HIGH)
    found = value(world, Goal.RUNNING_COST)
    assert (found.before, found.after) == (3, 3 + 2 + 7)


def test_risk_goes_from_the_victim_to_the_receiver():
    world = two_shards()
    world.running("v", 2, "b/y", shard="s1", interruption_probability=0.5, price_per_hour=1.0)
    world.need("a/x", 1, HIGH, interruption_penalty=10.0)
    world.need("b/y", 2, LOW, interruption_penalty=4.0)
    found = value(world, Goal.INTERRUPTION_RISK)
    assert (found.before, found.after) == (0.5 * 4 * 2, 0.5 * 4 + 0.5 * 10)


def test_the_safer_machine_goes_to_the_need_that_loses_more():
    world = two_shards().machines("i", shard="s1")
    world.machines("r", shard="s1", interruption_probability=0.1, price_per_hour=1.0)
    world.need("a/x", 1, HIGH, interruption_penalty=10.0)
    world.need("a/y", 1, HIGH, interruption_penalty=100.0)
    assert value(world, Goal.INTERRUPTION_RISK).after == pytest.approx(1.0)


def test_moves_are_machines():
    world = two_shards().machines("i", 5, shard="s1").need("a/x", 3, HIGH)
    assert value(world, Goal.MOVES).after == 3


def test_time_to_ready_is_the_creation_or_the_drain():
    world = two_shards().machines("i", shard="s1", ready_seconds=500.0)
    world.machines("q", shard="s1", state=State.SPECULATIVE, price_per_hour=1.0, ready_seconds=60.0)
    world.running("v", 1, "b/y", shard="s1", ready_seconds=500.0)
    world.need("a/x", 3, HIGH).need("b/y", 1, LOW, drain_seconds=45.0)
    found = value(world, Goal.TIME_TO_READY)
    assert (found.before, found.after) == (0, 60 + 45)


def test_balance_takes_from_the_fuller_donor():
    """0, 5 and 1 of a class: fair are 2, so 3 are out of place; afterwards 2, 3 and 1: 1 is."""
    world = World().shard("s0", "a").shard("s1", "b").shard("s2", "c")
    world.machines("i", 5, shard="s1").machines("j", 1, shard="s2").need("a/x", 2, HIGH)
    found = value(world, Goal.SHARD_BALANCE)
    assert (found.before, found.after) == (pytest.approx(3), pytest.approx(1))


def test_balance_counts_classes_nobody_asks_for():
    world = World().shard("s0", "a").shard("s1", "b")
    world.machines("i", 4, shard="s1", instance_type="g").need("a/x", 1, HIGH, resources={"cpu": 1})
    found = value(world, Goal.SHARD_BALANCE)
    assert (found.before, found.after) == (2, 2)


def test_what_is_left_in_used_racks_goes_first():
    """Of r0 all, of the whole r1 one: two of its machines are left in a rack that is used now."""
    world = two_shards().running("u", 1, "b/y", shard="s1", rack="r0").need("b/y", 1, HIGH)
    world.machines("i", 2, shard="s1", rack="r0").machines("a", 3, shard="s1", rack="r1")
    found = value(world.need("a/x", 3, HIGH), Goal.DOMAIN_FRAGMENTATION)
    assert (found.before, found.after) == (2, 2)


def test_a_created_machine_opens_a_rack():
    slot = {"state": State.SPECULATIVE, "price_per_hour": 1.0, "instance_type": "h"}
    world = two_shards().machines("i", 2, shard="s0", rack="r0", pinned=False)
    world.machines("q", shard="s1", rack="r0", **slot)
    only_h = Requirement(labels.INSTANCE_TYPE, Operator.IN, ("h",))
    world.need("a/x", 1, HIGH, requirements=(only_h,))
    found = value(world, Goal.DOMAIN_FRAGMENTATION)
    assert (found.before, found.after) == (0, 2)


def test_free_machines_that_nobody_wants_are_left_in_an_opened_rack():
    """Racks of three, of which two are wanted: for three machines both are opened."""
    world = two_shards()
    for rack in ("r0", "r1"):
        world.machines(f"{rack}-", 2, shard="s1", rack=rack, instance_type="g")
        world.machines(f"{rack}o", shard="s1", rack=rack, instance_type="old")
    only_g = Requirement(labels.INSTANCE_TYPE, Operator.IN, ("g",))
    found = value(world.need("a/x", 3, HIGH, requirements=(only_g,)), Goal.DOMAIN_FRAGMENTATION)
    assert (found.before, found.after) == (0, 3)


def test_a_pinned_machine_is_used_and_those_in_no_rack_count_for_nothing():
    world = two_shards().machines("i", 2, shard="s1", rack="r0").machines("n", 3, shard="s1")
    world.machines("p", shard="s1", rack="r0", pinned=True)
    found = value(world.need("a/x", 4, HIGH), Goal.DOMAIN_FRAGMENTATION)
    assert (found.before, found.after) == (2, 0)


def spined() -> World:
    world = World(FleetBuilder(topology=(SPINE, RACK)))
    return world.shard("s0", "a").shard("s1", "b")


def at(rack: str | None, spine: str | None = "p") -> dict[str, dict[str, str]]:
    return {"labels": {key: name for key, name in ((SPINE, spine), (RACK, rack)) if name}}


def test_a_gang_goes_where_it_needs_one_rack():
    world = spined()
    for rack, count in (("r0", 1), ("r1", 1), ("r2", 2)):
        world.machines(rack, count, shard="s1", **at(rack))
    found = value(world.need("a/x", 2, HIGH, same=SPINE), Goal.GANG_SPREAD)
    assert (found.before, found.after) == (0, 0)


def test_racks_beyond_the_fewest_are_counted():
    """Three machines fit into r2, which is taken: they use three racks where one could do."""
    world = spined().running("u", 3, "b/y", shard="s1", **at("r2")).need("b/y", 3, HIGH)
    for rack in ("r0", "r1", "r3"):
        world.machines(rack, 1, shard="s1", **at(rack))
    found = value(world.need("a/x", 3, HIGH, same=SPINE), Goal.GANG_SPREAD)
    assert (found.before, found.after) == (0, 2)


def test_racks_that_a_gang_holds_cost_nothing_again():
    world = spined().running("h", 1, "a/x", shard="s0", **at("r0"))
    world.machines("i", 1, shard="s1", **at("r0")).machines("j", 1, shard="s1", **at("r1"))
    found = value(world.need("a/x", 2, HIGH, same=SPINE), Goal.GANG_SPREAD)
    assert (found.before, found.after) == (0, 0)


def test_a_gang_that_loses_a_rack_is_no_better_for_it():
    world = spined().running("r0-", 2, "b/y", shard="s1", **at("r0"))
    world.running("r1", 1, "b/y", shard="s1", **at("r1")).machines("i", 1, shard="s1", **at("r2"))
    world.machines("p", 2, shard="s0", pinned=True, **at("r0"))
    world.need("b/y", 3, LOW, same=SPINE).need("a/x", 2, HIGH)
    found = value(world, Goal.GANG_SPREAD)
    assert (found.before, found.after) == (1, 1)


def test_machines_that_match_a_gang_no_more_have_room_for_themselves():
    """It holds one each in r0 and r1, which are the only two it could be in."""
    world, no_old = spined(), Requirement(labels.INSTANCE_TYPE, Operator.NOT_IN, ("old",))
    for rack in ("r0", "r1"):
        world.running(rack, 1, "a/x", shard="s0", instance_type="old", **at(rack))
    world.need("a/x", 2, HIGH, same=SPINE, requirements=(no_old,))
    world.machines("i", shard="s1").need("a/y", 1, HIGH)
    found = value(world, Goal.GANG_SPREAD)
    assert (found.before, found.after) == (0, 0)


def test_a_gang_that_stands_in_no_spine_is_spread_in_none():
    world = spined().machines("i", shard="s1").need("a/y", 1, HIGH)
    for rack in ("r0", "r1"):
        world.running(rack, 1, "a/x", shard="s0", **at(rack, None))
    world.machines("p", 2, shard="s0", pinned=True, **at("r0", None))
    found = value(world.need("a/x", 2, HIGH, same=SPINE), Goal.GANG_SPREAD)
    assert (found.before, found.after) == (0, 0)


def test_machines_in_no_rack_are_in_one_of_their_own():
    world = (
        spined().machines("n", 1, shard="s1", **at(None)).machines("i", 1, shard="s1", **at("r"))
    )
    world.machines("p", 2, shard="s0", pinned=True, **at("r"))
    found = value(world.need("a/x", 2, HIGH, same=SPINE), Goal.GANG_SPREAD)
    assert (found.before, found.after) == (0, 1)


@pytest.mark.parametrize("key", [RACK, "beside/the-tree"])
def test_a_gang_of_the_lowest_level_or_of_none_is_never_spread(key: str):
    world = spined()
    for rack in ("r0", "r1"):
        place = at("r0" if key == RACK else rack)["labels"] | {"beside/the-tree": "t"}
        world.machines(rack, 1, shard="s1", labels=place)
    found = value(world.need("a/x", 2, HIGH, same=key), Goal.GANG_SPREAD)
    assert (found.before, found.after) == (0, 0)


SPOT = {"interruption_probability": 0.1, "price_per_hour": 1.0}


def zoned(zone: str) -> dict[str, object]:
    return SPOT | {"labels": {labels.ZONE: zone}}


def test_a_cluster_gets_spot_machines_where_it_has_few():
    """Two in z0 and one in z1: two more, of z1 rather than z0, make it three in z1."""
    world = two_shards().running("h", 2, "a/x", shard="s0", **zoned("z0"))
    world.running("k", 1, "a/x", shard="s0", **zoned("z1"))
    world.machines("i", 2, shard="s1", **zoned("z0")).machines("j", 2, shard="s1", **zoned("z1"))
    found = value(world.need("a/x", 5, HIGH), Goal.SPOT_DIVERSITY)
    assert (found.before, found.after) == (2, 3)


def test_who_loses_spot_machines_is_less_exposed():
    """b gives one of its three in z0; a has one then."""
    world = two_shards().running("v", 3, "b/y", shard="s1", **zoned("z0"))
    found = value(world.need("a/x", 1, HIGH).need("b/y", 3, LOW), Goal.SPOT_DIVERSITY)
    assert (found.before, found.after) == (3, 2 + 1)


def test_excess_spot_machines_come_from_the_cluster_that_has_too_many_in_one_place():
    """b has one each in two zones and is no better for giving one; c has three in one."""
    world = World().shard("s0", "a").shard("s1", "b", "c")
    world.running("k", 1, "b/y", shard="s1", pinned=True, **zoned("z1")).need("b/y", 1, HIGH)
    for id, count, cluster in (("e", 1, "b"), ("f", 3, "c")):
        given = {"state": State.CONFIGURED, "cluster": cluster} | zoned("z0")
        world.machines(id, count, shard="s1", **given)
    found = value(world.need("a/x", 1, HIGH), Goal.SPOT_DIVERSITY)
    assert (found.before, found.after) == (1 + 3, 1 + 2 + 1)


def test_spot_machines_with_a_notice_and_idle_ones_are_no_clusters():
    world = two_shards().machines("i", 3, shard="s1", **zoned("z0"))
    given = {"state": State.CONFIGURED, "cluster": "b"} | zoned("z0")
    world.machines("e", 2, shard="s1", **given)
    world.machines("n", shard="s1", reclaim_at=9.0, **given)
    found = value(world.need("a/x", 1, HIGH), Goal.SPOT_DIVERSITY)
    assert (found.before, found.after) == (2, 2 + 1)


def test_a_shard_that_expects_to_assign_soon_gives_last():
    """s1 expects four and has three, s2 none: of four machines s2 gives three."""
    world = World().shard("s0", "a").shard("s1", "b").shard("s2", "c")
    world.machines("i", 3, shard="s1").machines("j", 3, shard="s2").need("a/x", 4, HIGH)
    standing = replace(world.standing(), forecast=np.array([[0], [4], [0]]))
    plan = solve(snapshot_of(standing), {Goal.DONOR_HEADROOM: 1.0}, Limits(None))
    found = plan.goals[Goal.DONOR_HEADROOM]
    assert (found.before, found.after) == (1, 2)


def test_where_nothing_is_expected_no_lane_is_tied_to_another():
    """On a file all forecasts are 0: the search must not pay for the goal."""
    world = two_shards().machines("i", 3, shard="s1").need("a/x", 2, HIGH).need("a/y", 2, HIGH)
    draft = draft_of(snapshot_of(world.standing()))
    assert len(draft.lanes) == 2
    assert donor_headroom(draft).features == ()
    some = draft_of(snapshot_of(world.standing(forecast=1)))
    assert len(donor_headroom(some).features) == 1


@pytest.mark.parametrize("goal", list(GOALS))
def test_a_weight_of_nothing_switches_a_goal_off(goal: Goal):
    world = two_shards().machines("i", 5, shard="s1").need("a/x", 3, HIGH)
    weights = dict.fromkeys(GOALS, 1.0) | {goal: 0.0}
    plan = solve(snapshot_of(world.standing()), weights, Limits(None))
    assert set(plan.goals) == set(GOALS) - {goal}


def test_every_goal_of_the_vocabulary_is_weighed():
    world = two_shards().machines("i", 5, shard="s1").need("a/x", 3, HIGH)
    plan = solve(snapshot_of(world.standing()), dict.fromkeys(Goal, 1.0), Limits(None))
    assert list(plan.goals) == list(GOALS) == list(Goal)


@pytest.mark.parametrize(("most", "finer"), [(10**6, 0), (0, 10**6)])
def test_a_snapshot_goes_without_goals_only_where_it_is_large(monkeypatch, most: int, finer: int):
    world = (
        spined().machines("i", 1, shard="s1", **at("r0")).machines("j", 1, shard="s1", **at("r"))
    )
    world.need("a/x", 2, HIGH, same=SPINE)
    monkeypatch.setattr("rebalancer.snapshot.FINE_PAIRS", most)
    monkeypatch.setattr("rebalancer.snapshot.FINER", finer)
    assert snapshot_of(world.standing()).without == ()


def test_a_large_snapshot_goes_without_the_goal_that_splits_it_most(monkeypatch):
    """Two racks in one spine: two groups, or one without a look at racks."""
    world = (
        spined().machines("i", 1, shard="s1", **at("r0")).machines("j", 1, shard="s1", **at("r"))
    )
    world.need("a/x", 2, HIGH, same=SPINE)
    monkeypatch.setattr("rebalancer.snapshot.FINE_PAIRS", 1)
    monkeypatch.setattr("rebalancer.snapshot.FINER", 1)
    snapshot = snapshot_of(world.standing())
    assert (snapshot.without, len(snapshot.supply)) == ((Goal.GANG_SPREAD,), 1)
    plan = solve(snapshot, dict.fromkeys(Goal, 1.0), Limits(None))
    assert set(Goal) - set(plan.goals) == {Goal.GANG_SPREAD}


def test_absurd_prices_and_penalties_keep_the_sums_finite():
    """An overflow on the way would be a warning, and warnings are errors here."""
    absurd = 1e308
    world = two_shards().running(
        "v", 2, "b/y", shard="s1", price_per_hour=absurd, interruption_probability=1.0,
        reclamation_penalty=absurd,
    )  # fmt: skip
    world.need("a/x", 1, HIGH, interruption_penalty=absurd)
    world.need("b/y", 2, LOW, interruption_penalty=absurd, reclamation_penalty=absurd)
    plan = solve(snapshot_of(world.standing()), dict.fromkeys(GOALS, 1e9), Limits(None))
    assert all(isfinite(found.cost) and isfinite(found.before) for found in plan.goals.values())
