"""The judge of needs that climb back: as many, before the old ones go, and for less money."""

from dataclasses import replace

import numpy as np
import pytest
from builders import RACK, need
from plan_twins import (
    CONFIGURED,
    Twin,
    far,
    judged,
    moves_of,
    near,
    plan_of,
    rules,
    standing_of,
    world_of,
)

from models import labels
from models.audit import Law
from models.machine import CapacityType, State
from models.plan import GoalValue, MoveKind
from models.rules import Goal, Rule

MIGRATE = {"migrate": "on", "drain_percent": 100}
OD, SPOT = CapacityType.ON_DEMAND, CapacityType.SPOT


def dear(id, price=6.0, serves="a/web", **fields):
    """Give a machine on demand that runs."""
    return near(id, CONFIGURED, serves, price=price, capacity=OD, **fields)


def cheap(id, price=1.0, **fields):
    return near(id, price=price, capacity=OD, **fields)


OLD = [dear("v0"), dear("v1")]
NEW = [cheap("k0"), cheap("k1")]
NEEDS = [need("a/web", 2, 5)]
SWAP = "replace k0 a/web u; drain v0 a/web u"
BOTH = f"{SWAP}; replace k1 a/web w; drain v1 a/web w"

GANG = [need("a/web", 2, 5, same=RACK)]
GANG_OLD = [dear("v0", rack="r1"), dear("v1", rack="r1")]
GANG_NEW = [cheap("k0", rack="r2"), cheap("k1", rack="r2")]
WHOLE = "replace k0 a/web u; replace k1 a/web u; drain v0 a/web u; drain v1 a/web u"


def twin(name, rule, **changes) -> Twin:
    """Give two sound swaps of a plain need, and what is changed in their twin."""
    given = {"machines": [*OLD, *NEW], "needs": NEEDS, "rebalance": MIGRATE, "moves": BOTH}
    return Twin(name, rule, **given | changes)


def gang(name, rule, **changes) -> Twin:
    given = {"machines": [*GANG_OLD, *GANG_NEW], "needs": GANG, "moves": WHOLE}
    return twin(name, rule, **given | changes)


def fragile(row, penalty):
    return replace(row, interruption_penalty=penalty)


def priced(price, **more):
    """Give the two new machines at a price at which nothing is saved, or at what is said."""
    return [*OLD, *(cheap(k, price, **more) for k in ("k0", "k1"))]


def spread_out(new, **changes):
    """Give a need over two instance types, and new machines of these types."""
    machines = [dear(f"v{i}", instance_type=f"t{i}") for i in (0, 1)]
    return [
        *machines,
        *(cheap(f"k{i}", instance_type=kind, **changes) for i, kind in enumerate(new)),
    ]


def new_ones(seconds):
    """Give two slots of 4 USD/h: they save 24 x 2 = 48 USD, less twice their start."""
    slots = (
        near(k, State.SPECULATIVE, price=4.0, capacity=OD, ready_seconds=seconds)
        for k in ("k0", "k1")
    )
    return [*OLD, *slots]


TWINS = [
    twin("if it may", Law.CLIMB, broken_rebalance=MIGRATE | {"migrate": "off"}),
    twin(
        "to as many",
        Law.CLIMB,
        broken_moves="replace k0 a/web u; drain v0 a/web u; drain v1 a/web u",
    ),
    twin("to no more", Law.CLIMB, broken_moves=f"{SWAP}; replace k1 a/web u"),
    twin("they first", Law.CLIMB, broken_moves="drain v0 a/web u; replace k0 a/web u"),
    twin(
        "unit by unit",
        Law.CLIMB,
        broken_moves="replace k0 a/web u; drain v0 a/web w; replace k1 a/web w; drain v1 a/web u",
        also=(),
    ),
    twin("for less money", Law.CLIMB, broken_machines=priced(6.0)),
    twin("than an interruption", Law.CLIMB, broken_needs=[fragile(need("a/web", 2, 5), 120.0)]),
    twin(
        "than a reclamation",
        Law.CLIMB,
        broken_machines=[*(dear(f"v{i}", penalty=120.0) for i in (0, 1)), *NEW],
    ),
    twin(
        "than two starts",
        Law.CLIMB,
        machines=new_ones(21_500.0),
        broken_machines=new_ones(21_600.0),
    ),
    twin(
        "than what is paid anyway",
        Law.CLIMB,
        broken_machines=[*(near(f"v{i}", CONFIGURED, "a/web", price=6.0) for i in (0, 1)), *NEW],
    ),
    twin("at known prices", Law.CLIMB, broken_machines=priced(float("nan"))),
    twin(
        "once it is whole",
        Law.CLIMB,
        broken_needs=[need("a/web", 3, 5)],
        broken_moves=SWAP,
        also=(),
    ),
    twin(
        "beside nobody else",
        Law.CLIMB,
        machines=[*OLD, *NEW, dear("v2", serves="a/api"), cheap("k2")],
        needs=[*NEEDS, need("a/api", 1, 5)],
        moves=f"{BOTH}; replace k2 a/api x; drain v2 a/api x",
        broken_moves=f"{BOTH}; replace k2 a/api u; drain v2 a/api u",
    ),
    twin(
        "and gives nothing else up",
        Law.CLIMB,
        machines=[*OLD, *NEW, near("i", rack="r1")],
        broken_needs=[*NEEDS, need("a/top", 2, 9, same=RACK)],
        broken_machines=[*GANG_OLD, *NEW, near("i", rack="r1")],
        broken_moves=f"{SWAP}; drain v1 a/top t; transfer-idle i a/top t",
        also=(),
    ),
    twin("from what nobody lacks", Law.CLIMB, broken_needs=[*NEEDS, need("a/top", 1, 9)]),
    twin(
        "within its shard",
        Law.MOVE_ROUTE,
        broken_machines=[*OLD, NEW[0], far("k1", price=1.0, capacity=OD)],
    ),
    twin(
        "to what it fits",
        Rule.FITS,
        needs=[need("a/web", 2, 5, gpu=8)],
        broken_machines=[*OLD, NEW[0], cheap("k1", gpu=4)],
    ),
    twin(
        "by its floor",
        Rule.FLOOR,
        machines=priced(1.0, risk=0.1),
        broken_needs=[need("a/web", 2, 5, floor=1)],
    ),
    twin(
        "as evenly as before",
        Rule.SPREAD,
        needs=[need("a/web", 2, 5, spread=labels.INSTANCE_TYPE)],
        machines=spread_out(("t0", "t1")),
        broken_machines=spread_out(("t0", "t0")),
    ),
    twin("few at a time", Law.BLAST_RADIUS, broken_rebalance=MIGRATE | {"drain_percent": 5}),
    twin("not too many", Law.MAX_MOVES, broken_rebalance=MIGRATE | {"max_moves": 3}),
    twin(
        "not what is pinned",
        Rule.UNTOUCHED,
        broken_machines=[OLD[0], (replace(OLD[1][0], pinned=True), "a/web"), *NEW],
    ),
    gang("whole", Law.CLIMB, broken_moves=SWAP),
    gang("in one unit", Law.CLIMB, broken_moves=BOTH),
    gang(
        "in one domain",
        Rule.DOMAIN,
        broken_machines=[*GANG_OLD, GANG_NEW[0], cheap("k1", rack="r3")],
    ),
    gang(
        "for its interruption once",
        Law.CLIMB,
        needs=[fragile(*GANG, 239.0)],
        broken_needs=[fragile(*GANG, 240.0)],
    ),
]


test_the_sound_plan_passes, test_the_broken_twin_is_refused = judged(TWINS)


def spot(*zones):
    return [near(f"k{i}", price=1.0, capacity=SPOT, zone=zone) for i, zone in enumerate(zones)]


@pytest.mark.parametrize(
    ("zones", "broken"),
    [(("z1", "z1"), set()), (("z1", "z2", "z1"), set()), (("z1", "z1", "z2"), {Rule.SPOT_SHARE})],
)
def test_spot_stays_within_its_share_where_there_is_a_choice(zones, broken):
    """Both go to one zone: it may be, where there is no other."""
    standing = standing_of(world_of([*OLD, *spot(*zones)], NEEDS))
    assert rules(standing, plan_of(standing, moves_of(standing, BOTH)), MIGRATE) == broken


def test_a_need_that_waits_for_a_drain_does_not_climb():
    standing = standing_of(world_of([*OLD, *NEW], NEEDS))
    waiting = replace(standing, waiting=np.array([1]))
    plan = plan_of(waiting, moves_of(waiting, BOTH))
    assert rules(waiting, plan, MIGRATE) >= {Law.CLIMB}


GOALS = {
    Goal.RUNNING_COST: (14.0, 2.0),
    Goal.INTERRUPTION_RISK: (0.0, 0.0),
    Goal.PREEMPTION_DAMAGE: (0.0, 0.0),
    Goal.MOVES: (0.0, 4.0),
}


@pytest.mark.parametrize("goal", GOALS)
def test_what_is_said_of_goals_is_counted_again(goal):
    standing = standing_of(world_of([*OLD, *NEW], NEEDS))
    plan = plan_of(standing, moves_of(standing, BOTH))
    true = {each: GoalValue(1.0, *pair, pair[1], None) for each, pair in GOALS.items()}
    assert rules(standing, replace(plan, goals=true), MIGRATE) == set()
    lie = true | {goal: replace(true[goal], after=true[goal].after - 1)}
    assert rules(standing, replace(plan, goals=lie), MIGRATE) == {Law.GOALS}


def test_who_climbs_is_not_displaced():
    standing = standing_of(world_of([*OLD, *NEW], NEEDS))
    plan = plan_of(standing, moves_of(standing, BOTH))
    assert plan.displaced == ()
    assert {move.kind for move in plan.moves} == {MoveKind.REPLACE, MoveKind.DRAIN}
