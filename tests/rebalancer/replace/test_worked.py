"""Small worlds whose replacements a person can work out."""

from dataclasses import replace

import numpy as np
import pytest
from climbing import OD, SETTINGS, SPOT, replaced_by
from worlds import RACK, World

from models.audit import audit_plan
from models.machine import State
from models.need import Spread
from models.outcome import Outcome
from models.plan import DRAINS, MoveKind, Plan
from models.problem import Problem
from models.requirement import Operator, Requirement
from models.rules import Goal
from models.standing import Standing
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.settings import rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import fallback, solve

RULES = rules_from(SETTINGS)
SLOW = 3 * 3600.0


def one_shard() -> World:
    return World().shard("s0", "a")


def dear(world: World, name: str, count: int, **given: object) -> World:
    """Add machines at 6 USD an hour, named ``v0`` and so on, that serve a need."""
    given = {"price_per_hour": 6.0, "capacity_type": OD, "shard": "s0", "id": "v"} | given
    return world.running(given.pop("id"), count, name, **given)


def slots(world: World, id: str, count: int, price: float = 1.0, **given: object) -> World:
    given = {"capacity_type": OD, "shard": "s0", "state": State.SPECULATIVE} | given
    return world.machines(id, count, price_per_hour=price, **given)


def solved(standing: Standing, rules=RULES, **given) -> Plan:
    return solve(snapshot_of(standing, rules, **given), DEFAULT_GOALS, Limits(None))


def swapped(standing: Standing, plan: Plan) -> dict[str, tuple[list[str], list[str]]]:
    """Give for each need that climbs what it gives up and what it gets, by name."""
    ids, needs = standing.fleet.machines.ids, standing.fleet.needs
    return {
        needs[need].id: (sorted(ids[row] for row in old), sorted(ids[row] for row in new))
        for need, (old, new) in replaced_by(plan).items()
    }


def test_the_example_of_the_contract():
    """24 h x (6.00 - (1.80 + 0.10 x 5)) = 88.80; less 5, less 2, less 2 x 1.80 x 600 / 3600."""
    world = dear(one_shard(), "a/web", 1, reclamation_penalty=2.0)
    world.need("a/web", 1, 5, interruption_penalty=5.0)
    slots(world, "q", 1, 1.8, interruption_probability=0.1, capacity_type=SPOT, ready_seconds=600.0)
    standing = world.standing()
    plan = solved(standing)
    new, old = plan.moves
    assert (new.kind, new.need, new.victim, new.unit) == (MoveKind.REPLACE, 0, -1, old.unit)
    assert (old.kind, old.need, old.victim) == (MoveKind.DRAIN, 0, 0)
    assert (new.source, new.target, old.source, old.target) == (0, 0, 0, 0)
    assert "saves 81.20 USD in 24 h" in old.reason
    assert "runs on all new machines" in old.preconditions[1]
    assert plan.outcome is Outcome.OPTIMAL
    assert (plan.levels[0].served, plan.displaced, plan.unmet) == (1, (), ())


@pytest.mark.parametrize(("price", "climbs"), [(1.99, True), (2.0, False)])
def test_more_must_be_saved_than_it_costs(price: float, climbs: bool):
    """24 x (6 - price) against an interruption of 84 and two starts of 3 h: 6 x price."""
    world = dear(one_shard(), "a/web", 1).need("a/web", 1, 5, interruption_penalty=84.0)
    slots(world, "q", 1, price, ready_seconds=SLOW)
    assert bool(solved(world.standing()).moves) is climbs


@pytest.mark.parametrize(
    ("kind", "climbs"), [("bare-metal", True), ("reserved", True), ("on-demand", False)]
)
def test_an_idle_machine_that_is_paid_anyway_costs_nothing_more(kind: str, climbs: bool):
    world = dear(one_shard(), "a/web", 1).need("a/web", 1, 5)
    world.machines("i", shard="s0", price_per_hour=9.0, capacity_type=type(OD)(kind))
    assert bool(solved(world.standing()).moves) is climbs


def test_what_saves_most_gets_what_is_free():
    world = dear(one_shard(), "a/web", 1, id="v", price_per_hour=5.0)
    dear(world, "a/api", 1, id="w", price_per_hour=6.0).need("a/web", 1, 9).need("a/api", 1, 5)
    standing = slots(world, "q", 1).standing()
    assert swapped(standing, solved(standing)) == {"api": (["w"], ["q"])}


def test_the_whole_is_more_than_the_best_first():
    """What is best for one need (q0, 24 x 5.5) is the only thing that the other can use."""
    world = dear(one_shard(), "a/any", 1, id="v").need("a/any", 1, 5)
    dear(world, "a/cpu", 1, id="w", price_per_hour=5.0).need("a/cpu", 1, 1_000_000)
    slots(world, "q0", 1, 0.5)
    standing = slots(world, "q1", 1, 1.0, ready_seconds=1000.0).standing()
    found = swapped(standing, solved(standing))
    assert found == {"any": (["v"], ["q1"]), "cpu": (["w"], ["q0"])}


def test_two_gangs_share_what_is_free_as_saves_most():
    """Racks of 3 and 2: the gang of 3 could take both places of the other, in parts."""
    world = one_shard()
    for id, count, price in (("big", 3, 6.0), ("small", 2, 5.9)):
        dear(world, f"a/{id}", count, id=id, price_per_hour=price, rack=f"old-{id}")
        world.need(f"a/{id}", count, 5, same=RACK, interruption_penalty=10.0)
    slots(world, "x", 3, rack="x")
    standing = slots(world, "y", 2, 0.5, rack="y").standing()
    assert {need: new for need, (_, new) in swapped(standing, solved(standing)).items()} == {
        "big": ["x0", "x1", "x2"],
        "small": ["y0", "y1"],
    }


@pytest.mark.parametrize(("kind", "cost"), [("on-demand", 2.0), ("reserved", 14.0)])
@pytest.mark.parametrize(("same", "damage"), [(None, 20.0), (RACK, 10.0)])
def test_goals_count_an_interruption_of_a_gang_once_and_only_release_what_is_elastic(
    kind: str, cost: float, same: str | None, damage: float
):
    """Two at 6 USD that cost 0.5 x 10 more; two at 1 USD come, and nothing is at risk any more."""
    old = {"capacity_type": type(OD)(kind), "interruption_probability": 0.5, "rack": "x"}
    world = dear(one_shard(), "a/web", 2, **old)
    world.need("a/web", 2, 5, same=same, interruption_penalty=10.0)
    plan = solved(slots(world, "q", 2, rack="y").standing())
    assert {goal: plan.goals[goal].after for goal in list(plan.goals)[:4]} == {
        Goal.PREEMPTION_DAMAGE: damage,
        Goal.RUNNING_COST: cost,
        Goal.INTERRUPTION_RISK: 0.0,
        Goal.MOVES: 4.0,
    }


@pytest.mark.parametrize(("penalty", "climbs"), [(239.0, True), (240.0, False)])
def test_what_a_gang_would_save_in_parts_is_no_reason_to_go(penalty: float, climbs: bool):
    """One of each rack would save 24 x 11; both of the better one save 24 x 10."""
    world = dear(one_shard(), "a/train", 2, rack="r1")
    world.need("a/train", 2, 5, same=RACK, interruption_penalty=penalty)
    for rack, other in (("x", 1.6), ("y", 1.5)):
        slots(world, f"{rack}0", 1, 0.5, rack=rack)
        slots(world, f"{rack}1", 1, other, rack=rack)
    standing = world.standing()
    found = {"train": (["v0", "v1"], ["y0", "y1"])} if climbs else {}
    assert swapped(standing, solved(standing)) == found


@pytest.mark.parametrize(("free", "climbs"), [(2, False), (3, True)])
def test_a_gang_climbs_whole_or_not_at_all(free: int, climbs: bool):
    world = dear(one_shard(), "a/train", 3, rack="r1").need("a/train", 3, 5, same=RACK)
    slots(world, "q", free, rack="r2")
    plan = solved(slots(world, "z", 2, rack="r3").standing())
    assert sum(move.kind is MoveKind.REPLACE for move in plan.moves) == climbs


@pytest.mark.parametrize(("held", "replaced"), [(0, 2), (1, 1), (2, 0)])
def test_what_a_need_holds_counts_for_its_share_of_spot(held: int, replaced: int):
    """Four may have two in one (class, zone), as there is another, dearer one."""
    spot = {"capacity_type": SPOT, "instance_type": "s", "price_per_hour": 1.0}
    world = dear(one_shard(), "a/web", 4 - held).need("a/web", 4, 5)
    if held:
        world.running("h", held, "a/web", shard="s0", **spot)
    slots(world, "q", 3, 1.0, capacity_type=SPOT, instance_type="s")
    slots(world, "z", 1, 8.0, capacity_type=SPOT, instance_type="t")
    plan = solved(world.standing())
    assert sum(len(old) for old, _ in replaced_by(plan).values()) == replaced


@pytest.mark.parametrize(("floor", "replaced"), [(0, 2), (1, 0)])
def test_where_floor_and_spread_meet_what_is_safe_stays_safe(floor: int, replaced: int):
    world = one_shard()
    for rack in ("x", "y"):
        dear(world, "a/web", 1, id=f"v{rack}", rack=rack)
        slots(world, f"q{rack}", 1, rack=rack, interruption_probability=0.1)
    world.need("a/web", 2, 5, floor=floor, spread=(Spread(RACK),))
    plan = solved(world.standing())
    assert sum(len(old) for old, _ in replaced_by(plan).values()) == replaced


def test_what_is_safe_gives_way_as_far_as_the_floor_lets_it():
    """Two of four may be interrupted, one is: it and one more go where they may be."""
    world = dear(one_shard(), "a/web", 3).need("a/web", 4, 5, floor=2)
    dear(world, "a/web", 1, id="r", interruption_probability=0.1)
    slots(world, "q", 4, interruption_probability=0.1)
    standing = world.standing()
    plan = solved(standing)
    assert swapped(standing, plan) == {"web": (["r", "v0"], ["q0", "q1"])}
    assert audit_plan(standing, plan, SETTINGS) == ()


@pytest.mark.parametrize(("most", "replaced"), [(None, 3), (5, 2), (1, 0)])
def test_each_replacement_moves_two_machines(most: int | None, replaced: int):
    world = slots(dear(one_shard(), "a/web", 3).need("a/web", 3, 5), "q", 3)
    standing = world.standing()
    plan = solved(standing, replace(RULES, max_moves=most))
    assert sum(len(old) for old, _ in replaced_by(plan).values()) == replaced


def test_drains_share_the_windows_with_the_drains_of_the_plan():
    """Ten hosts at 20% are two a window; a gang takes one of the first window."""
    world = one_shard().running("l", 1, "a/low", shard="s0", rack="x")
    here = (Requirement(RACK, Operator.IN, ("x",)),)
    world.machines("i", 1, shard="s0", rack="x").need("a/low", 1, 1, requirements=here)
    world.need("a/gang", 2, 5, same=RACK, requirements=here)
    dear(world, "a/web", 8, rack="y", labels={"class": "web"}).need("a/web", 8, 5)
    slots(world, "q", 3, rack="z", instance_type="small")
    standing = world.standing()
    rules = replace(RULES, drain_percent=20)
    plan = solved(standing, rules)
    drained: dict[int, int] = {}
    for move in plan.moves:
        if move.kind in DRAINS:
            drained[move.window] = drained.get(move.window, 0) + len(move.machines)
    assert plan.unmet == ()
    assert drained == {0: 2, 1: 2}


def test_new_machines_are_created_when_the_old_ones_are_due():
    world = slots(dear(one_shard(), "a/web", 4).need("a/web", 4, 5), "q", 4)
    plan = solved(world.standing(), replace(RULES, drain_percent=25))
    by_kind = {
        kind: [move.window for move in plan.moves if move.kind is kind]
        for kind in (MoveKind.REPLACE, MoveKind.DRAIN)
    }
    assert by_kind == {MoveKind.REPLACE: [0, 1, 2, 3], MoveKind.DRAIN: [0, 1, 2, 3]}


@pytest.mark.parametrize("kept", ["v", "q"])
def test_what_cools_down_stays(kept: str):
    standing = slots(dear(one_shard(), "a/web", 1).need("a/web", 1, 5), "q", 1).standing()
    cooling = standing.fleet.machines.ids == kept
    assert solved(standing, cooling=cooling).moves == ()


def test_a_need_that_waits_for_a_drain_stays():
    standing = slots(dear(one_shard(), "a/web", 1).need("a/web", 1, 5), "q", 1).standing()
    assert solved(replace(standing, waiting=np.array([1]))).moves == ()


def test_only_where_gangs_inside_a_shard_are_asked_for():
    standing = slots(dear(one_shard(), "a/web", 1).need("a/web", 1, 5), "q", 1).standing()
    assert solved(standing, replace(RULES, problems=(Problem.TRANSFER,))).moves == ()
    assert solved(standing, replace(RULES, problems=(Problem.PACKING,))).moves != ()


def test_who_gives_way_comes_before_who_climbs():
    """The victim will want the slot in the next cycle; so nobody climbs to it."""
    world = World().shard("s0", "a").shard("s1", "b")
    dear(world, "a/web", 1, rack="x").running("l", 1, "a/low", shard="s0", rack="y")
    slots(world, "q", 1, ready_seconds=1000.0, rack="z")
    world.need("a/web", 1, 900_000, floor=1).need("a/low", 1, 1).need("b/top", 1, 1_000_000)
    plan = solved(world.standing(), replace(RULES, min_gap=100_000))
    assert [d.count for d in plan.displaced] == [1]
    assert replaced_by(plan) == {}


def test_without_time_nobody_climbs_and_nothing_is_called_best():
    standing = slots(dear(one_shard(), "a/web", 1).need("a/web", 1, 5), "q", 1).standing()
    ticks = iter(range(1000))
    limits = Limits(seconds=0.5, clock=lambda: float(next(ticks)))
    plan = fallback(snapshot_of(standing, RULES), DEFAULT_GOALS, limits)
    assert (plan.moves, plan.outcome) == ((), Outcome.FEASIBLE)


def test_a_plan_without_migrations_is_what_it_was():
    """Terms of climbing in the settings change neither the digests nor anything else."""
    standing = slots(dear(one_shard(), "a/web", 1).need("a/web", 1, 5), "q", 1).standing()
    off = SETTINGS.model_copy(
        update={"rebalance": SETTINGS.rebalance.model_copy(update={"migrate": "off"})}
    )
    longer = off.model_copy(
        update={"rebalance": off.rebalance.model_copy(update={"migrate_horizon": 7200.0})}
    )
    plan = solved(standing, rules_from(off))
    assert plan.moves == ()
    assert plan == solved(standing, rules_from(longer))
    assert plan.settings != solved(standing).settings


def test_a_large_fleet_is_soon_done():
    """20,000 machines of 40 needs, all of which could use 3,000 better ones."""
    world = World().shard("s0", "a")
    for n in range(40):
        dear(world, f"a/n{n}", 500, id=f"v{n}-", price_per_hour=3.0 + n % 4)
        world.need(f"a/n{n}", 500, 5, interruption_penalty=float(n % 3))
    for n in range(30):
        slots(world, f"q{n}-", 100, 1.0 + n % 5 / 4, instance_type=f"t{n}")
    standing = world.standing()
    plan = solved(standing)
    assert plan.outcome is Outcome.OPTIMAL
    assert sum(len(old) for old, _ in replaced_by(plan).values()) == 3000
    assert audit_plan(standing, plan, SETTINGS) == ()
