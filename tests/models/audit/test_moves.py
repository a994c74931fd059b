"""The judge of single moves: form, kind, route, suitability, and who gives way."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest
from builders import RACK, fleet, need
from plan_twins import (
    CONFIGURED,
    SPECULATIVE,
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

from models.audit import Law
from models.machine import CapacityType, State
from models.rules import Rule


def not_free(standing):
    return replace(standing, free=np.zeros(len(standing.free), dtype=np.bool_))


def not_victims(standing):
    return replace(standing, victim=np.zeros(len(standing.victim), dtype=np.bool_))


def like(machines, needs, moves):
    """Give a way to write twins of one sound plan: by name, rule, and what is changed."""

    def twin(name, rule, **changes):
        return Twin(name, rule, **{"machines": machines, "needs": needs, "moves": moves} | changes)

    return twin


idle = like([far("m")], [need("a/n")], "transfer-idle m a/n")
slot = like([far("m", SPECULATIVE)], [need("a/n")], "transfer-speculative m a/n")
kept = like([near("m", rack="r1")], [need("a/n", same=RACK)], "transfer-idle m a/n")
drained = like([far("m", CONFIGURED)], [need("a/n")], "drain-and-transfer m a/n")
victim = like(
    [far("m", CONFIGURED, "b/low")],
    [need("a/n", priority=200_000), need("b/low")],
    "drain-and-transfer m a/n",
)


TWINS = [
    Twin(
        "each machine once",
        Law.MOVE_SHAPE,
        [far("m"), far("o")],
        [need("a/n", 2)],
        "transfer-idle m a/n; transfer-idle o a/n",
        broken_moves="transfer-idle m a/n; transfer-idle m a/n",
    ),
    Twin(
        "each id once",
        Law.MOVE_SHAPE,
        [far("m"), far("o")],
        [need("a/n", 2)],
        "transfer-idle m a/n; transfer-idle o a/n",
        move=lambda move: replace(move, id="m0"),
    ),
    idle(
        "machines of its class",
        Law.MOVE_SHAPE,
        machines=[far("m"), far("o", price=2)],
        move=lambda move: replace(move, machine_class=1),
    ),
    idle("some machine", Law.MOVE_SHAPE, move=lambda move: replace(move, machines=())),
    idle("a window from 0", Law.MOVE_SHAPE, move=lambda move: replace(move, window=-1)),
    idle("idle is idle", Law.MOVE_KIND, broken_machines=[far("m", SPECULATIVE)]),
    slot("speculative is speculative", Law.MOVE_KIND, broken_machines=[far("m")]),
    idle("idle is free", Law.MOVE_KIND, bend=not_free),
    slot("speculative is free", Law.MOVE_KIND, bend=not_free),
    drained("drained is configured", Law.MOVE_KIND, broken_machines=[far("m")]),
    victim("drained may be", Law.MOVE_KIND, bend=not_victims, also=(Law.VICTIM,)),
    idle("from its shard", Law.MOVE_ROUTE, move=lambda move: replace(move, source=2)),
    idle("to the need's shard", Law.MOVE_ROUTE, move=lambda move: replace(move, target=2)),
    idle("to another shard", Law.MOVE_ROUTE, broken_machines=[near("m")]),
    kept("kept at home for a gang only", Law.MOVE_ROUTE, broken_needs=[need("a/n")]),
    Twin(
        "a slot kept at home for a gang only",
        Law.MOVE_ROUTE,
        [near("m", SPECULATIVE, rack="r1")],
        [need("a/n", same=RACK)],
        "transfer-speculative m a/n",
        broken_needs=[need("a/n")],
    ),
    kept("what is kept at home is free", Law.MOVE_KIND, bend=not_free),
    Twin(
        "a drain at home is no transfer",
        Law.MOVE_ROUTE,
        [far("m", CONFIGURED, rack="r1")],
        [need("a/n", same=RACK)],
        "drain-and-transfer m a/n",
        broken_machines=[near("m", CONFIGURED, rack="r1")],
    ),
    Twin(
        "a gang too drains at home only what is strictly lower",
        Rule.PRIORITY,
        [near("m", CONFIGURED, "a/low", rack="r1")],
        [need("a/n", priority=1, same=RACK), need("a/low")],
        "drain m a/n",
        broken_needs=[need("a/n", same=RACK), need("a/low")],
    ),
    kept(
        "not what is pinned at home",
        Rule.UNTOUCHED,
        broken_machines=[near("m", rack="r1", pinned=True)],
    ),
    Twin(
        "a drain stays in its shard",
        Law.MOVE_ROUTE,
        [near("m", CONFIGURED)],
        [need("a/n")],
        "drain m a/n",
        broken_machines=[far("m", CONFIGURED)],
    ),
    idle(
        "matches",
        Rule.MATCHES,
        needs=[need("a/n", zones=["z1"])],
        broken_machines=[far("m", zone="z2")],
    ),
    idle("fits", Rule.FITS, needs=[need("a/n", gpu=8)], broken_machines=[far("m", gpu=7)]),
    slot("a known price", Rule.PRICE_KNOWN, broken_machines=[far("m", SPECULATIVE, price=nan)]),
    Twin(
        "not a slot that tier 1 would pass over",
        Rule.AVAILABLE,
        [far("m", SPECULATIVE, ready_seconds=900)],
        [need("a/n", priority=900_000)],
        "transfer-speculative m a/n",
        broken_machines=[far("m", SPECULATIVE, ready_seconds=901)],
    ),
    drained(
        "not what is about to be reclaimed",
        Rule.AVAILABLE,
        machines=[far("m", CONFIGURED, capacity=CapacityType.SPOT)],
        broken_machines=[far("m", CONFIGURED, capacity=CapacityType.SPOT, reclaim_at=60)],
    ),
    idle("not what is pinned", Rule.UNTOUCHED, broken_machines=[far("m", pinned=True)]),
    victim("a victim is named", Law.VICTIM, move=lambda move: replace(move, victim=-1)),
    victim(
        "the gap across shards",
        Rule.PRIORITY,
        needs=[need("a/n", priority=100_000), need("b/low")],
        broken_needs=[need("a/n", priority=99_999), need("b/low")],
    ),
    Twin(
        "strictly lower within a shard",
        Rule.PRIORITY,
        [near("m", CONFIGURED, "a/low")],
        [need("a/n", priority=1), need("a/low")],
        "drain m a/n",
        broken_needs=[need("a/n"), need("a/low")],
    ),
    victim(
        "strictly lower whatever the gap",
        Rule.PRIORITY,
        needs=[need("a/n", priority=1), need("b/low")],
        broken_needs=[need("a/n"), need("b/low")],
        rebalance={"min_gap": 0},
    ),
]


test_the_sound_plan_passes, test_the_broken_twin_is_refused = judged(TWINS)


def shadowed(cluster):
    builder = fleet().shard("s0", "a").shard("s1", "b")
    builder.needs(need("a/n", priority=200_000), need("b/low"))
    builder.machines(*far("m", CONFIGURED)[:1], serves="b/low")
    return (builder.shadow(cluster) if cluster else builder).build()


@pytest.mark.parametrize(("cluster", "broken"), [(None, set()), ("b", {Rule.UNTOUCHED})])
def test_shadow_clusters_are_no_victims(cluster, broken):
    standing = standing_of(shadowed(cluster))
    plan = plan_of(standing, moves_of(standing, "drain-and-transfer m a/n"))
    assert rules(standing, plan) == broken


def test_shadow_clusters_receive_nothing():
    standing = standing_of(shadowed("a"))
    plan = plan_of(standing, moves_of(standing, "drain-and-transfer m a/n"))
    assert rules(standing, plan) == {Rule.UNTOUCHED, Law.COUNT}


def test_an_idle_machine_of_unknown_price_may_be_transferred():
    standing = standing_of(world_of([far("m", price=nan)], [need("a/n")]))
    plan = plan_of(standing, moves_of(standing, "transfer-idle m a/n"))
    assert rules(standing, plan) == set()


def test_machines_in_no_cluster_move_whatever_other_clusters_are():
    builder = fleet().shard("s0", "a").shard("s1", "z").shadow("z").needs(need("a/n"))
    standing = standing_of(builder.machines(far("m")[0]).build())
    plan = plan_of(standing, moves_of(standing, "transfer-idle m a/n"))
    assert rules(standing, plan) == set()


def test_only_configured_machines_are_drained_whatever_the_standing_says():
    needs = [need("a/n", priority=200_000), need("b/low")]
    standing = standing_of(world_of([far("m", State.DRAINING, "b/low")], needs))
    standing = replace(standing, victim=np.array([True]))
    plan = plan_of(standing, moves_of(standing, "drain-and-transfer m a/n"))
    assert Law.MOVE_KIND in rules(standing, plan)
