"""The judge of ownership: a plan by hand that passes, and each rule broken by one change to it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from builders import RACK, fleet, machine, need
from plan_twins import plan_of as summed
from plan_twins import standing_of

from models.audit import Law, audit_ownership
from models.fleet import Fleet
from models.machine import State
from models.outcome import Outcome
from models.plan import ClusterMove, GoalValue, Level, Move, MoveKind, Plan, Unmet
from models.rules import Goal, Rule
from models.settings import settings_from
from models.shortfall import Reason
from models.standing import Standing

SETTINGS = settings_from({"rebalance": {"max_moves": 6}})


def rack(name: str, size: int = 2, **fields):
    return [machine(f"{name}-{place}", rack=name, **fields) for place in range(size)]


@dataclass(frozen=True)
class World:
    """Machines, clusters by shard, needs; and moves, as ``machine machine > shard`` each a unit."""

    machines: list = field(default_factory=list)
    clusters: dict = field(default_factory=lambda: {"s0": ["a", "c"], "s1": ["b"]})
    needs: tuple = ()

    def fleet(self) -> Fleet:
        building = fleet()
        for name, owned in self.clusters.items():
            building = building.shard(name, *owned)
        for row in self.machines:
            building = building.machines(row)
        return building.needs(*self.needs).build()


def plan_of(standing: Standing, moves: str, **changes) -> Plan:
    """Give a plan; ``moves`` reads ``r0-0 r0-1 > s1; r1-0 > s1``."""
    world = standing.fleet
    ids, shards = world.machines.ids.tolist(), [shard.name for shard in world.shards]
    made = []
    for number, text in enumerate(filter(None, moves.split("; "))):
        names, _, target = text.partition(" > ")
        rows = tuple(ids.index(name) for name in names.split())
        idle = world.machines.state[rows[0]] == State.IDLE
        made.append(
            Move(
                f"m{number}", f"u{number}", 0,
                MoveKind.TRANSFER_IDLE if idle else MoveKind.TRANSFER_SPECULATIVE,
                int(world.machines.class_index[rows[0]]), rows,
                int(world.machines.shard[rows[0]]), shards.index(target), -1, -1, "", (), 300.0,
            )
        )  # fmt: skip
    return replace(summed(standing, ()), moves=tuple(made), **changes)


def judged(standing: Standing, plan: Plan, **masks) -> list:
    none = np.zeros(len(standing.fleet.machines), dtype=np.bool_)
    found = audit_ownership(
        standing, plan, SETTINGS, masks.get("cooling", none), masks.get("without", none)
    )
    assert all(str(violation) for violation in found)
    return sorted({violation.rule for violation in found}, key=lambda rule: rule.name)


FOUR = World([row for number in range(4) for row in rack(f"r{number}")])
HALF = "r0-0 r0-1 > s1; r1-0 r1-1 > s1"


def broken(change: Callable[[Plan], Plan], world: World = FOUR, moves: str = HALF, **masks) -> list:
    standing = standing_of(world.fleet())
    return judged(standing, change(plan_of(standing, moves)), **masks)


def first(**changes) -> Callable[[Plan], Plan]:
    return lambda plan: replace(plan, moves=(replace(plan.moves[0], **changes), *plan.moves[1:]))


def test_like_shares_of_whole_racks_pass():
    assert broken(lambda plan: plan) == []


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        (first(machines=(0, 99)), [Law.MOVE_SHAPE]),
        (first(machines=(-1,)), [Law.MOVE_SHAPE]),
        (first(source=2), [Law.MOVE_SHAPE]),
        (first(target=2), [Law.MOVE_SHAPE]),
        (first(id="m1"), [Law.MOVE_SHAPE]),
        (first(machine_class=1), [Law.MOVE_SHAPE]),
        (first(window=1), [Law.MOVE_SHAPE]),
        (first(need=0), [Law.VICTIM]),
        (first(victim=0), [Law.VICTIM]),
        (first(kind=MoveKind.TRANSFER_SPECULATIVE), [Law.MOVE_KIND]),
        (first(kind=MoveKind.DRAIN), [Law.MOVE_KIND]),
        (first(source=1), [Law.OWNER_ROUTE]),
        (first(target=0), [Law.LIKE_SHARE, Law.OWNER_ROUTE]),
        (first(unit="u1"), [Law.UNIT]),
        (first(machines=(0,)), [Law.LIKE_SHARE, Law.WHOLE_DOMAIN]),
        (first(machines=(0, 1, 1)), [Law.MOVE_SHAPE]),
        (lambda plan: replace(plan, moves=()), [Law.LIKE_SHARE]),
        (lambda plan: replace(plan, moves=plan.moves[:1]), [Law.LIKE_SHARE]),
        (lambda plan: replace(plan, closed=(1,)), [Law.ONE_OWNER]),
        (lambda plan: replace(plan, closed=(0, 1)), [Law.ONE_OWNER]),
        (lambda plan: replace(plan, closed=(7,)), [Law.ONE_OWNER]),
        (lambda plan: replace(plan, added=(7,)), [Law.ONE_OWNER]),
        (lambda plan: replace(plan, levels=(Level(5, 1, 0, 0),)), [Law.LEVELS]),
        (lambda plan: replace(plan, unmet=(Unmet(0, 1, Reason.CAPACITY_EXHAUSTED),)), [Law.UNMET]),
        (lambda plan: replace(plan, goals={Goal.MOVES: GoalValue(1, 0, 5, 5, None)}), [Law.GOALS]),
        (lambda plan: replace(plan, goals={Goal.MOVES: GoalValue(1, 0, 4, 4, None)}), []),
        (lambda plan: replace(plan, outcome=Outcome.INFEASIBLE), [Law.NO_MOVES]),
        (
            lambda plan: replace(
                plan, outcome=Outcome.INFEASIBLE, moves=(), conflicts=("x",), closed=(0,)
            ),
            [Law.NO_MOVES],
        ),
        (lambda plan: replace(plan, outcome=Outcome.INFEASIBLE, moves=(), conflicts=("x",)), []),
    ],
)
def test_each_rule_is_broken_by_one_change(change, rules):
    assert broken(change) == rules


def test_two_machines_of_a_rack_in_two_units():
    assert broken(lambda plan: plan, moves="r0-0 > s1; r0-1 > s1; r1-0 r1-1 > s1") == [Law.UNIT]


def test_no_more_machines_than_a_plan_may_move():
    eight = World([row for number in range(8) for row in rack(f"r{number}")])
    moves = "; ".join(f"r{n}-0 r{n}-1 > s1" for n in range(4))
    assert broken(lambda plan: plan, eight, moves) == [Law.MAX_MOVES]


@pytest.mark.parametrize(
    "trouble",
    [{"pinned": True}, {"reclaim_at": 9.0}, {"state": State.FAILED}],
    ids=["pinned", "noticed", "failed"],
)
def test_what_must_stay_is_not_moved(trouble):
    world = World([machine("x", rack="r9", **trouble), *rack("r0", 1, shard="s1")])
    found = broken(lambda plan: plan, world, "x > s1")
    assert Rule.UNTOUCHED in found
    assert Rule.UNTOUCHED not in broken(lambda plan: plan, world, "")


def test_what_serves_or_is_not_free_or_cools_is_not_moved():
    standing = standing_of(replace(FOUR, needs=(need("a/n", 0),)).fleet())
    plan = plan_of(standing, HALF)
    rows = np.isin(np.arange(8), plan.moves[0].machines)
    serving = replace(standing, serves=np.where(rows, 0, -1).astype(np.int32))
    assert Rule.UNTOUCHED in judged(serving, plan)
    assert Rule.UNTOUCHED in judged(replace(standing, free=standing.free & ~rows), plan)
    assert Rule.UNTOUCHED in judged(standing, plan, cooling=rows)


def test_what_leaves_the_fleet_counts_nowhere_and_is_not_moved():
    standing = standing_of(FOUR.fleet())
    plan = plan_of(standing, HALF)
    without = np.isin(np.arange(8), plan.moves[0].machines)
    assert judged(standing, plan, without=without) == [Law.WHOLE_DOMAIN]
    assert judged(standing, replace(plan, moves=plan.moves[1:]), without=without) == []


def test_a_rack_in_use_counts_where_it_is():
    """With two that run in s0, both free ones go to s1: not one, and not none."""
    used = [machine(f"u{n}", State.CONFIGURED, cluster="a", rack=f"u{n}") for n in range(2)]
    world = World([*used, *rack("r0", 1), *rack("r1", 1)])
    assert broken(lambda plan: plan, world, "r0-0 > s1; r1-0 > s1") == []
    assert broken(lambda plan: plan, world, "r0-0 > s1") == [Law.LIKE_SHARE]
    # Two more that run make no difference: what is free is all there.
    more = [machine(f"u{n}", State.CONFIGURED, cluster="a", rack=f"u{n}") for n in (2, 3)]
    four = World([*world.machines, *more])
    assert broken(lambda plan: plan, four, "r0-0 > s1; r1-0 > s1") == []


def test_classes_and_totals_are_counted_over_sizes():
    """Each size alone is within one; all three odd racks in one shard are not."""
    world = World([*rack("r0", 1), *rack("r1", 2), *rack("r2", 3)])
    assert broken(lambda plan: plan, world, "") == [Law.LIKE_SHARE]
    assert broken(lambda plan: plan, world, "r1-0 r1-1 > s1") == []
    other = World([*rack("r0", 1), *rack("r1", 1, instance_type="y"), *rack("r2", 1, price=2.0)])
    assert broken(lambda plan: plan, other, "") == [Law.LIKE_SHARE]


def test_machines_of_a_class_are_within_its_largest_rack():
    world = World([*rack("r0", 9), *rack("r1", 8), *rack("r2", 1), *rack("r3", 1, shard="s1")])
    small = World([*rack("r0", 9), *rack("r1", 8), *rack("r2", 2, shard="s1"),
                   *rack("r3", 1, shard="s1")])  # fmt: skip
    # Two racks each and no size twice, yet 17 machines against 3.
    assert broken(lambda plan: plan, small, "") == [Law.LIKE_SHARE]
    assert world.fleet().machines.shard.sum() == 1


def test_a_split_rack_is_no_whole_domain():
    split = World([*rack("r0", 2), *rack("r1", 2, shard="s1"), machine("x", rack="r0", shard="s1")])
    assert broken(lambda plan: plan, split, "") == [Law.WHOLE_DOMAIN]
    assert broken(lambda plan: plan, split, "x > s0") == []
    # Where one of it must stay, the rest may only be there.
    stuck = World([*rack("r0", 2), machine("x", State.FAILED, rack="r0", shard="s1")])
    assert broken(lambda plan: plan, stuck, "") == [Law.WHOLE_DOMAIN]
    assert broken(lambda plan: plan, stuck, "r0-0 r0-1 > s1") == []


def test_every_shard_keeps_a_rack_for_its_largest_gang():
    racks = [*rack("r0", 3), *rack("r1", 1), *rack("r2", 1), *rack("r3", 1, shard="s1")]
    gangs = (need("b/g", 3, same=RACK), need("b/h", 1, same=RACK), need("b/i", 9, same=RACK))
    world = World(racks, needs=gangs)
    assert broken(lambda plan: plan, world, "r1-0 > s1") == [Law.GANG_DOMAIN]
    assert broken(lambda plan: plan, world, "r0-0 r0-1 r0-2 > s1") == []
    # Of its cluster, that is: a cluster of another shard may keep it.
    moved = World(racks, {"s0": ["a", "b"], "s1": ["c"]}, gangs)
    assert broken(lambda plan: plan, moved, "r1-0 > s1") == []
    joins = ClusterMove(1, 0, 1)
    assert broken(lambda plan: replace(plan, clusters=(joins,)), moved, "r1-0 > s1") == [
        Law.GANG_DOMAIN
    ]


def test_a_rack_with_failed_or_small_machines_is_none_for_a_gang():
    small = [machine(f"r0-{n}", rack="r0", shard="s1", gpu=1) for n in range(2)]
    gang = (need("b/g", 2, gpu=8, same=RACK),)
    world = World([*rack("r1", 2), *small], needs=gang)
    assert broken(lambda plan: plan, world, "") == [Law.GANG_DOMAIN]
    failed = [machine(f"r0-{n}", State.FAILED, rack="r0", shard="s1") for n in range(2)]
    world = World([*rack("r1", 2), *failed], needs=gang)
    assert broken(lambda plan: plan, world, "") == [Law.GANG_DOMAIN]


@pytest.mark.parametrize(
    ("moves", "rules"),
    [
        ([ClusterMove(2, 0, 1)], []),
        ([ClusterMove(0, 0, 1)], [Law.CLUSTER_MOVE]),
        ([ClusterMove(2, 1, 0)], [Law.CLUSTER_MOVE]),
        ([ClusterMove(2, 0, 0)], [Law.CLUSTER_MOVE]),
        ([ClusterMove(2, 0, 1)] * 2, [Law.CLUSTER_MOVE]),
        ([ClusterMove(9, 0, 1)], [Law.CLUSTER_MOVE]),
        ([ClusterMove(2, 0, 9)], [Law.CLUSTER_MOVE]),
    ],
    ids=["free", "holds machines", "not there", "nowhere", "twice", "no cluster", "no shard"],
)
def test_a_cluster_moves_once_from_its_shard_and_leaves_nothing(moves, rules):
    used = machine("u", State.CONFIGURED, cluster="a", rack="u")
    world = World([used, *rack("r0", 1, shard="s1")])
    assert broken(lambda plan: replace(plan, clusters=tuple(moves)), world, "") == rules


def test_a_cluster_that_is_served_or_waited_for_stays():
    world = World(rack("r0", 1), {"s0": ["a"], "s1": []}, (need("a/n", 2),)).fleet()
    for column in ("have", "waiting"):
        one = np.ones(1, dtype=np.int64)
        standing = replace(standing_of(world), **{column: one, "short": one, "shortfalls": ()})
        plan = plan_of(standing, "", clusters=(ClusterMove(0, 0, 1),))
        assert judged(standing, plan) == [Law.CLUSTER_MOVE]
        assert judged(standing, replace(plan, clusters=())) == []


def test_a_closed_shard_keeps_neither_machine_nor_cluster():
    world = World([*rack("r0"), *rack("r1", shard="s1")])
    closed = {"closed": (1,), "clusters": (ClusterMove(1, 1, 0),)}
    assert broken(lambda plan: replace(plan, **closed), world, "r1-0 r1-1 > s0") == []
    assert broken(lambda plan: replace(plan, **closed), world, "") == [Law.ONE_OWNER]
    kept = broken(lambda plan: replace(plan, closed=(1,)), world, "r1-0 r1-1 > s0")
    assert kept == [Law.ONE_OWNER]
    # What leaves the fleet may stay behind.
    without = np.array([name.startswith("r1") for name in world.fleet().machines.ids])
    assert broken(lambda plan: replace(plan, **closed), world, "", without=without) == []


def test_a_class_is_alike_in_racks_too_where_machines_and_totals_are():
    """Of each class three small racks here and a large one there: as many racks in all."""
    shards = {"x": ("s0", "s1"), "y": ("s1", "s0")}
    world = World([
        row
        for kind, (small, large) in shards.items()
        for size in (1, 2, 3, 9)
        for row in rack(f"{kind}{size}", size, instance_type=kind,
                        shard=large if size == 9 else small)
    ])  # fmt: skip
    assert broken(lambda plan: plan, world, "") == [Law.LIKE_SHARE]


def test_a_fallback_may_leave_shares_unlike_but_change_nothing():
    def fallback(**changes):
        return lambda plan: replace(plan, outcome=Outcome.FALLBACK, **changes)

    assert broken(lambda plan: plan, FOUR, "") != []
    assert broken(fallback(), FOUR, "") == []
    assert broken(fallback(), FOUR, HALF) == [Law.NO_MOVES]
    assert broken(fallback(clusters=(ClusterMove(0, 0, 1),)), FOUR, "") == [Law.NO_MOVES]
    assert broken(fallback(closed=(1,)), FOUR, "") == [Law.NO_MOVES]
    assert broken(fallback(added=(1,)), FOUR, "") == [Law.NO_MOVES]
    assert broken(fallback(closed=(9,)), FOUR, "") == [Law.ONE_OWNER]
    wrong = (Level(7, 1, 1, 1),)
    assert broken(fallback(levels=wrong), FOUR, "") == [Law.LEVELS]
