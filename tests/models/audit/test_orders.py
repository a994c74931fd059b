"""The judge of orders: one a machine, by its owner, legal by the table, and as recorded."""

from dataclasses import replace

import numpy as np
import pytest
from builders import machine, need
from cycle_twins import CONFIGURED, DRAINING, FAILED, SPECULATIVE, SPOT, Twin, judge, used, world_of

from models.audit import Law
from models.machine import State
from models.rules import Rule

TWINS = [
    Twin(
        "one action a machine",
        Law.ONE_ACTION,
        [machine("m")],
        [need("a/n")],
        "configure m a/n",
        broken_orders="configure m a/n; configure m a/n",
    ),
    Twin(
        "by its owner",
        Law.OWN_MACHINE,
        [machine("m")],
        [need("a/n")],
        "configure m a/n",
        broken_machines=[machine("m", shard="s1")],
        also=(Law.SHORTFALL,),
    ),
    Twin(
        "configure only what is idle",
        Law.TRANSITION,
        [machine("m")],
        [need("a/n")],
        "configure m a/n",
        broken_machines=[machine("m", SPECULATIVE)],
    ),
    Twin(
        "a failed machine is not available",
        Law.TRANSITION,
        [machine("m")],
        [need("a/n")],
        "configure m a/n",
        broken_machines=[machine("m", FAILED)],
    ),
    Twin(
        "create only what is speculative",
        Law.TRANSITION,
        [machine("m", SPECULATIVE)],
        [need("a/n")],
        "create m a/n",
        broken_machines=[machine("m")],
    ),
    Twin(
        "drain only what is configured",
        Law.TRANSITION,
        [machine("m", CONFIGURED, cluster="a")],
        [],
        "drain m - 600",
        broken_machines=[machine("m", State.CONFIGURING, cluster="a")],
    ),
    Twin(
        "delete only what is elastic",
        Law.TRANSITION,
        [machine("m", capacity=SPOT)],
        [],
        "delete m",
        broken_machines=[machine("m")],
    ),
    Twin(
        "delete only what is idle",
        Law.TRANSITION,
        [machine("m", capacity=SPOT)],
        [],
        "delete m",
        broken_machines=[machine("m", CONFIGURED, cluster="a", capacity=SPOT)],
    ),
    Twin(
        "nothing that is about to be reclaimed",
        Rule.AVAILABLE,
        [machine("m", capacity=SPOT)],
        [need("a/n")],
        "configure m a/n",
        broken_machines=[machine("m", capacity=SPOT, reclaim_at=60)],
        also=(Law.SHORTFALL,),
    ),
    Twin(
        "a reserved machine is not deleted",
        Law.RESERVED,
        [machine("m", capacity=SPOT), machine("o")],
        [need("a/n")],
        "delete m; configure o a/n",
        broken_machines=[(machine("m", capacity=SPOT), "a/n"), machine("o")],
        broken_orders="delete m",
        broken_short="a/n 1",
    ),
    Twin(
        "recorded as ordered",
        Law.RECORDED,
        [machine("m")],
        [need("a/n"), need("a/o")],
        "configure m a/n",
        "a/o 1",
        broken_serves="m a/o",
        broken_short="a/n 1",
    ),
    Twin(
        "pinned machines are not deleted",
        Rule.UNTOUCHED,
        [machine("m", capacity=SPOT)],
        [],
        "delete m",
        broken_machines=[machine("m", capacity=SPOT, pinned=True)],
    ),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_sound_answer_passes(twin):
    assert twin.passes() == set()


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_broken_twin_is_refused(twin):
    assert twin.breaks() == {twin.rule, *twin.also}


def test_a_machine_reserved_for_an_unknown_need_is_left_alone():
    world = world_of([machine("m", capacity=SPOT)], [])
    assert judge(world, "delete m") == set()
    machines = replace(world.machines, serves=np.array([-2], dtype=np.int32))
    assert judge(replace(world, machines=machines), "delete m") == {Rule.UNTOUCHED}


def test_a_machine_with_a_notice_may_still_be_let_go():
    world = world_of([machine("m", capacity=SPOT, reclaim_at=60)], [])
    assert judge(world, "delete m") == set()


def test_a_reservation_ends_with_the_want_or_the_fit():
    full = [used("o", "a/n"), (machine("m", capacity=SPOT), "a/n")]
    assert judge(world_of(full, [need("a/n")]), "delete m") == set()
    small = [(machine("m", capacity=SPOT, gpu=4), "a/n")]
    assert judge(world_of(small, [need("a/n", gpu=8)]), "delete m", "a/n 1") == set()


@pytest.mark.parametrize(
    ("state", "orders", "broken"),
    [
        (DRAINING, "drain m b/n 120", False),
        (DRAINING, "drain m - 120", True),
        (DRAINING, "drain m a/n 120", True),
        (DRAINING, "configure m b/n", True),
        (State.CONFIGURING, "drain m b/n 120", True),
    ],
)
def test_only_a_drain_for_the_same_need_is_hurried(state, orders, broken):
    """Of what is in transition nothing else may be ordered."""
    row = machine("m", state, cluster="b" if state is State.CONFIGURING else "a")
    world = world_of([(row, "b/n")], [need("a/n"), need("b/n")])
    assert (Law.TRANSITION in judge(world, orders)) == broken
