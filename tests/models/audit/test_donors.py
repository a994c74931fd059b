"""The judge of donors: they keep what their own need, and lose few at a time."""

from dataclasses import replace

import pytest
from builders import RACK, need
from hypothesis import given
from hypothesis import strategies as st
from plan_twins import (
    CONFIGURED,
    IDLE,
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

from models import labels
from models.audit import Law
from models.machine import State
from models.need import Spread, WhenUnsatisfiable
from models.rules import Rule

MANY = [far(f"m{i}", CONFIGURED, "b/low") for i in range(40)]

SOFT = Spread(labels.ZONE, 1, WhenUnsatisfiable.SCHEDULE_ANYWAY)

TWINS = [
    Twin(
        "a donor keeps what its own lack",
        Rule.KEEPS_OWN,
        [far("m")],
        [need("a/n", priority=2), need("b/own", priority=1)],
        "transfer-idle m a/n",
        broken_needs=[need("a/n", priority=2), need("b/own", priority=2)],
    ),
    Twin(
        "unless they cannot use it: no match",
        Rule.KEEPS_OWN,
        [far("m")],
        [need("a/n"), need("b/own", zones=["z9"])],
        "transfer-idle m a/n",
        broken_needs=[need("a/n"), need("b/own", zones=["z1"])],
    ),
    Twin(
        "unless they cannot use it: half a gang",
        Rule.KEEPS_OWN,
        [far("m", rack="r1"), far("o", rack="r2")],
        [need("a/n"), need("b/own", 2, same=RACK)],
        "transfer-idle m a/n",
        broken_machines=[far("m", rack="r1"), far("o", rack="r1")],
    ),
    Twin(
        "unless they cannot use it: the gang is elsewhere",
        Rule.KEEPS_OWN,
        [far("m", rack="r1"), far("o", CONFIGURED, "b/own", rack="r2")],
        [need("a/n"), need("b/own", 2, same=RACK)],
        "transfer-idle m a/n",
        broken_machines=[far("m", rack="r1"), far("o", CONFIGURED, "b/own", rack="r1")],
    ),
    Twin(
        "unless they cannot use it: the spread",
        Rule.KEEPS_OWN,
        [far("m"), far("o", CONFIGURED, "b/own"), far("p", State.FAILED, zone="z2")],
        [need("a/n"), need("b/own", 2, spread=labels.ZONE)],
        "transfer-idle m a/n",
        broken_needs=[need("a/n"), need("b/own", 2, spread=labels.ZONE, skew=2)],
    ),
    Twin(
        "unless they cannot use it: the floor",
        Rule.KEEPS_OWN,
        [far("m", risk=0.5)],
        [need("a/n"), need("b/own", 1, floor=1)],
        "transfer-idle m a/n",
        broken_needs=[need("a/n"), need("b/own", 1, floor=0)],
    ),
    Twin(
        "unless they cannot use it: too slow for tier 1",
        Rule.KEEPS_OWN,
        [far("m", SPECULATIVE, ready_seconds=901)],
        [need("a/n", priority=899_999), need("b/own", priority=900_000)],
        "transfer-speculative m a/n",
        broken_machines=[far("m", SPECULATIVE, ready_seconds=900)],
    ),
    Twin(
        "few drains in a window",
        Law.BLAST_RADIUS,
        MANY,
        [need("a/n", 4, 200_000), need("b/low", 40)],
        "; ".join(f"drain-and-transfer m{i} a/n u{i} {i // 2}" for i in range(4)),
        broken_moves="; ".join(f"drain-and-transfer m{i} a/n u{i} 0" for i in range(3)),
    ),
    Twin(
        "drains at home count too",
        Law.BLAST_RADIUS,
        [near("m", CONFIGURED, "a/low", rack="r1"), near("o", CONFIGURED, "a/low", rack="r1")],
        [need("a/n", 2, 1, same=RACK), need("a/low", 2)],
        "drain m a/n u 0; drain o a/n u 1",
        broken_moves="drain m a/n u 0; drain o a/n u 0",
    ),
    Twin(
        "at least one drain",
        Law.BLAST_RADIUS,
        MANY[:19],
        [need("a/n", 2, 200_000), need("b/low", 40)],
        "drain-and-transfer m0 a/n u0 0; drain-and-transfer m1 a/n u1 1",
        broken_moves="drain-and-transfer m0 a/n u0 0; drain-and-transfer m1 a/n u1 0",
    ),
    Twin(
        "no more than allowed",
        Law.MAX_MOVES,
        [far("m"), far("o")],
        [need("a/n", 2)],
        "transfer-idle m a/n; transfer-idle o a/n",
        rebalance={"max_moves": 2},
        broken_rebalance={"max_moves": 1},
    ),
    Twin(
        "what its own could drain is theirs",
        Rule.KEEPS_OWN,
        [far("m", CONFIGURED, "b/low")],
        [need("a/n", priority=300_000), need("b/own", priority=200_000), need("b/low")],
        "drain-and-transfer m a/n",
        broken_needs=[
            need("a/n", priority=200_000),
            need("b/own", priority=200_000),
            need("b/low"),
        ],
    ),
    Twin(
        "below tier 1 nothing is too slow",
        Rule.KEEPS_OWN,
        [far("m", SPECULATIVE, ready_seconds=901)],
        [need("a/n", priority=899_999), need("b/own", priority=900_000)],
        "transfer-speculative m a/n",
        broken_needs=[need("a/n", priority=899_999), need("b/own", priority=899_999)],
    ),
    Twin(
        "a soft spread takes what there is",
        Rule.KEEPS_OWN,
        [far("m"), far("o", CONFIGURED, "b/own"), far("p", State.FAILED, zone="z2")],
        [need("a/n"), need("b/own", 2, spread=labels.ZONE)],
        "transfer-idle m a/n",
        broken_needs=[need("a/n"), replace(need("b/own", 2), spread=(SOFT,))],
    ),
]


test_the_sound_plan_passes, test_the_broken_twin_is_refused = judged(TWINS)


@pytest.mark.parametrize("helper", [far("o", rack="r1"), far("o", CONFIGURED, rack="r1")])
def test_a_gang_of_the_donor_could_use_what_is_free_or_excess_beside(helper):
    needs = [need("a/n"), need("b/own", 2, same=RACK)]
    busy = far("o", State.FAILED, rack="r1")
    for machines, broken in (([helper], {Rule.KEEPS_OWN}), ([busy], set())):
        standing = standing_of(world_of([far("m", rack="r1"), *machines], needs))
        plan = plan_of(standing, moves_of(standing, "transfer-idle m a/n"))
        assert rules(standing, plan) == broken


@pytest.mark.parametrize(
    "helper", [far("o", rack="r1", shard="s2"), far("o", CONFIGURED, "b/low", rack="r1")]
)
def test_what_others_own_or_run_completes_no_gang_of_the_donor(helper):
    """Whom it might drain for the rest the cycle knows, and found it would not do."""
    needs = [need("a/n", priority=5), need("b/own", 2, 5, same=RACK), need("b/low")]
    standing = standing_of(world_of([far("m", rack="r1"), helper], needs))
    plan = plan_of(standing, moves_of(standing, "transfer-idle m a/n"))
    assert rules(standing, plan) == set()


def test_only_the_donor_shard_is_asked_what_it_lacks():
    """The receiver's own equal need, and what stays in the donor, give nothing away."""
    machines = [far("m", shard="s2"), far("o")]
    needs = [need("a/n"), need("a/o"), need("b/own")]
    standing = standing_of(world_of(machines, needs))
    plan = plan_of(standing, moves_of(standing, "transfer-idle m a/n"))
    assert rules(standing, plan) == set()


@given(
    count=st.integers(1, 4),
    own=st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), max_size=3),
    states=st.lists(st.sampled_from((IDLE, SPECULATIVE)), min_size=1, max_size=5),
)
def test_what_is_free_goes_to_a_strictly_higher_need(count, own, states):
    """Legal with priority 3; refused with 2 where the donor has such a need that is short."""
    machines = [far(f"m{index}", state) for index, state in enumerate(states)]
    owned = [need(f"b/o{index}", lacks, level) for index, (lacks, level) in enumerate(own)]
    kinds = {IDLE: "transfer-idle", SPECULATIVE: "transfer-speculative"}
    moves = "; ".join(f"{kinds[state]} m{index} a/n" for index, state in enumerate(states[:count]))
    for priority in (3, 2):
        standing = standing_of(world_of(machines, [need("a/n", count, priority), *owned]))
        lacking = any(lacks and level >= priority for lacks, level in own)
        plan = plan_of(standing, moves_of(standing, moves))
        assert rules(standing, plan) == ({Rule.KEEPS_OWN} if lacking else set())
