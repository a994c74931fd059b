"""The judge of gangs that move: whole, within their shard, for one gang that takes all they had."""

from dataclasses import replace

import numpy as np
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
from models.rules import Rule

MIGRATE = {"migrate": "on", "drain_percent": 100}

OLD = [near("v0", CONFIGURED, "a/two", rack="r1"), near("v1", CONFIGURED, "a/two", rack="r1")]
FREE = [near("i", rack="r1"), near("j", rack="r1")]
NEW = [near("k0", rack="r2"), near("k1", rack="r2")]
NEEDS = [need("a/two", 2, 5, same=RACK), need("a/big", 4, 5, same=RACK)]

COME = "replace k0 a/two u; replace k1 a/two u"
BESIDE = "transfer-idle i a/big u; transfer-idle j a/big u"
GO = "drain v0 a/big u; drain v1 a/big u"


def twin(name, rule, **changes) -> Twin:
    """Give the sound migration, and what is changed in its twin."""
    given = {"machines": [*OLD, *FREE, *NEW], "needs": NEEDS, "rebalance": MIGRATE}
    return Twin(name, rule, moves=f"{COME}; {BESIDE}; {GO}", **given | changes)


def not_free(standing):
    """Let nobody have the new machines."""
    kept = standing.free & ~np.isin(standing.fleet.machines.ids, ["k0", "k1"])
    return replace(standing, free=kept)


def pinned(*machines):
    return [(replace(row, pinned=True), serves) for row, serves in machines]


TWINS = [
    twin("if it may", Law.MIGRATION, broken_rebalance=MIGRATE | {"migrate": "off"}),
    twin(
        "to as many machines",
        Law.MIGRATION,
        broken_moves=f"replace k0 a/two u; {BESIDE}; {GO}",
    ),
    twin(
        "to no more either",
        Law.MIGRATION,
        machines=[*OLD, *FREE, *NEW, near("k2", rack="r2")],
        broken_moves=f"{COME}; replace k2 a/two u; {BESIDE}; {GO}",
    ),
    twin(
        "from all its machines",
        Law.MIGRATION,
        broken_needs=[NEEDS[0], need("a/big", 3, 5, same=RACK)],
        broken_moves=f"{COME}; {BESIDE}; drain v0 a/big u",
    ),
    twin(
        "and not for nothing",
        Law.MIGRATION,
        broken_needs=[NEEDS[0], need("a/big", 2, 5, same=RACK)],
        broken_moves=f"{COME}; {BESIDE}",
    ),
    twin(
        "in one unit",
        Law.MIGRATION,
        broken_moves=f"replace k0 a/two u; replace k1 a/two v; {BESIDE}; {GO}",
    ),
    twin(
        "for one need",
        Law.MIGRATION,
        broken_needs=[NEEDS[0], need("a/big", 3, 5, same=RACK), need("a/one", 1, 5, same=RACK)],
        broken_moves=f"{COME}; {BESIDE}; drain v0 a/big u; drain v1 a/one u",
        also=(Law.UNIT,),
    ),
    twin(
        "for a gang",
        Law.MIGRATION,
        broken_needs=[NEEDS[0], need("a/big", 2, 5)],
        broken_moves=f"{COME}; {GO}",
    ),
    twin(
        "before the old ones are drained",
        Law.MIGRATION,
        broken_moves=f"{GO}; {BESIDE}; {COME}",
    ),
    twin(
        "once it is whole",
        Law.MIGRATION,
        broken_needs=[need("a/two", 3, 5, same=RACK), NEEDS[1]],
    ),
    twin("as a gang only", Law.MIGRATION, broken_needs=[need("a/two", 2, 5), NEEDS[1]]),
    twin(
        "within its shard",
        Law.MIGRATION,
        broken_needs=[NEEDS[0], need("b/big", 2, 200_000, same=RACK)],
        broken_moves=f"{COME}; drain-and-transfer v0 b/big u; drain-and-transfer v1 b/big u",
    ),
    twin(
        "to machines of its shard",
        Law.MOVE_ROUTE,
        broken_machines=[*OLD, *FREE, far("k0", rack="r2"), far("k1", rack="r2")],
    ),
    twin(
        "to one domain",
        Rule.DOMAIN,
        broken_machines=[*OLD, *FREE, NEW[0], near("k1", rack="r3")],
    ),
    twin(
        "for none that is lower",
        Rule.PRIORITY,
        broken_needs=[need("a/two", 2, 6, same=RACK), NEEDS[1]],
    ),
    twin("to machines that are free", Law.MOVE_KIND, bend=not_free),
    twin(
        "to what it fits",
        Rule.FITS,
        broken_machines=[*OLD, *FREE, NEW[0], near("k1", rack="r2", gpu=4)],
        needs=[need("a/two", 2, 5, same=RACK, gpu=8), NEEDS[1]],
    ),
    twin(
        "by its floor",
        Rule.FLOOR,
        machines=[*OLD, *FREE, NEW[0], near("k1", rack="r2", risk=0.5)],
        broken_needs=[need("a/two", 2, 5, same=RACK, floor=1), NEEDS[1]],
        broken_machines=[*OLD, *FREE, *(near(k, rack="r2", risk=0.5) for k in ("k0", "k1"))],
    ),
    twin(
        "evenly",
        Rule.SPREAD,
        machines=[*OLD, *FREE, *(near(f"k{i}", rack="r2", instance_type=f"t{i}") for i in (0, 1))],
        needs=[need("a/two", 2, 5, same=RACK, spread=labels.INSTANCE_TYPE), NEEDS[1]],
        broken_machines=[
            *OLD,
            *FREE,
            *(near(k, rack="r2", instance_type="t0") for k in ("k0", "k1")),
            near("z", rack="r9", instance_type="t1"),
        ],
    ),
    twin("not from what is pinned", Rule.UNTOUCHED, broken_machines=[*pinned(*OLD), *FREE, *NEW]),
    twin("not to what is pinned", Rule.UNTOUCHED, broken_machines=[*OLD, *FREE, *pinned(*NEW)]),
    twin(
        "few at a time",
        Law.BLAST_RADIUS,
        broken_rebalance=MIGRATE | {"drain_percent": 5},
    ),
    twin(
        "who makes room is named",
        Law.VICTIM,
        move=lambda move: replace(move, victim=-1),
        also=(Law.MIGRATION,),
    ),
]


test_the_sound_plan_passes, test_the_broken_twin_is_refused = judged(TWINS)


def test_who_moves_is_not_displaced_and_may_be_a_victim_without_a_gap():
    standing = standing_of(world_of([*OLD, *FREE, *NEW], NEEDS))
    plan = plan_of(standing, moves_of(standing, f"{COME}; {BESIDE}; {GO}"))
    assert plan.displaced == ()
    assert rules(standing, plan, MIGRATE) == set()
