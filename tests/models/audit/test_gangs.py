"""The judge of gangs: all in one domain, and all they were missing or nothing."""

from dataclasses import replace

import pytest
from builders import RACK, machine, need
from cycle_twins import FAILED, SPOT, Twin, judge, used, world_of

from models.audit import Law
from models.machine import State
from models.rules import Rule

TWINS = [
    Twin(
        "a gang in one domain",
        Rule.DOMAIN,
        [machine("m", rack="r1"), machine("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "configure m a/n; configure o a/n",
        broken_machines=[machine("m", rack="r1"), machine("o", rack="r2")],
    ),
    Twin(
        "racks of one name in two zones are two",
        Rule.DOMAIN,
        [machine("m", rack="r1"), machine("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "configure m a/n; configure o a/n",
        broken_machines=[machine("m", rack="r1"), machine("o", rack="r1", zone="z2")],
    ),
    Twin(
        "a gang in some domain",
        Rule.DOMAIN,
        [machine("m", rack="r1")],
        [need("a/n", same=RACK)],
        "configure m a/n",
        broken_machines=[machine("m")],
    ),
    Twin(
        "a gang stays where it is",
        Rule.DOMAIN,
        [used("m", "a/n", rack="r1"), machine("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "configure o a/n",
        broken_machines=[used("m", "a/n", rack="r1"), machine("o", rack="r2")],
    ),
    Twin(
        "a gang drains in one domain",
        Rule.DOMAIN,
        [machine("m", rack="r1"), used("o", "b/low", rack="r1")],
        [need("a/n", 2, 10, same=RACK), need("b/low")],
        "configure m a/n; drain o a/n 600",
        "a/n 1 WaitingForDrain; b/low 1",
        broken_machines=[machine("m", rack="r1"), used("o", "b/low", rack="r2")],
    ),
    Twin(
        "a gang whole",
        Law.WHOLE_GANG,
        [machine("m", rack="r1"), machine("o", rack="r1")],
        [need("a/n", 2, same=RACK)],
        "configure m a/n; configure o a/n",
        broken_orders="configure m a/n",
        broken_short="a/n 1",
    ),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_sound_answer_passes(twin):
    assert twin.passes() == set()


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_broken_twin_is_refused(twin):
    assert twin.breaks() == {twin.rule, *twin.also}


def test_losses_of_this_cycle_do_not_show_before_the_next():
    """The gang was complete but for o, and got it; what it lost to b/n it will miss next time."""
    machines = [used("m", "a/g", rack="r1"), machine("o", rack="r1")]
    needs = [need("a/g", 2, 1, same=RACK), need("b/n", priority=2)]
    orders = "drain m b/n 600; configure o a/g"
    waiting = "b/n 1 WaitingForDrain"
    assert judge(world_of(machines, needs), orders, waiting) == set()
    assert judge(world_of(machines, needs), orders, f"{waiting}; a/g 1") == set()
    needs[0] = replace(needs[0], count=3)
    assert judge(world_of(machines, needs), orders, f"{waiting}; a/g 1") == {Law.WHOLE_GANG}


@pytest.mark.parametrize("state", [FAILED, State.DELETING])
def test_a_gang_is_not_completed_by_what_is_gone(state):
    machines = [machine("m", rack="r1"), machine("o", state, rack="r1")]
    world = world_of(machines, [need("a/n", 2, same=RACK)])
    assert judge(world, "configure m a/n", "a/n 1", "o a/n") >= {Law.WHOLE_GANG}


def test_a_notice_or_the_lack_of_a_domain_holds_a_gang_nowhere():
    """What is about to be reclaimed no longer counts; what is in no domain pins to none."""
    leaving = (machine("m", capacity=SPOT, rack="r2", reclaim_at=60), "a/n")
    running = used("m", "a/n", capacity=SPOT, rack="r2", reclaim_at=60)
    staying = used("m", "a/n", rack="r2")
    nowhere = used("m", "a/n")
    for held, count, broken in (
        (leaving, 1, set()),
        (running, 1, set()),
        (nowhere, 2, set()),
        (staying, 2, {Rule.DOMAIN}),
    ):
        world = world_of([held, machine("o", rack="r1")], [need("a/n", count, same=RACK)])
        assert judge(world, "configure o a/n") == broken


def test_what_has_a_notice_does_not_complete_a_gang():
    held = used("m", "a/n", capacity=SPOT, rack="r1", reclaim_at=60)
    world = world_of([held, machine("o", rack="r1")], [need("a/n", 2, same=RACK)])
    assert judge(world, "configure o a/n", "a/n 1") == {Law.WHOLE_GANG}
