"""The judge of shortfalls: one for each short need, none for any other, true counts."""

import pytest
from builders import machine, need
from cycle_twins import CONFIGURED, CREATING, DRAINING, SPOT, Twin, judge, used, world_of

from models.audit import Law

TWINS = [
    Twin(
        "short is reported",
        Law.SHORTFALL,
        [],
        [need("a/n", 2)],
        "",
        "a/n 2",
        broken_short="",
    ),
    Twin("short adds up", Law.SHORTFALL, [], [need("a/n", 2)], "", "a/n 2", broken_short="a/n 1"),
    Twin("and no more", Law.SHORTFALL, [], [need("a/n", 2)], "", "a/n 2", broken_short="a/n 3"),
    Twin(
        "once",
        Law.SHORTFALL,
        [],
        [need("a/n")],
        "",
        "a/n 1",
        broken_short="a/n 1; a/n 1",
    ),
    Twin(
        "only its own",
        Law.SHORTFALL,
        [],
        [need("a/n"), need("c/n")],
        "",
        "a/n 1",
        broken_short="a/n 1; c/n 1",
    ),
    Twin(
        "not what is served",
        Law.SHORTFALL,
        [used("m", "a/n")],
        [need("a/n")],
        broken_short="a/n 1",
    ),
    Twin(
        "waiting for drains that run",
        Law.SHORTFALL,
        [(machine("m", DRAINING, cluster="b"), "a/n")],
        [need("a/n")],
        "",
        "a/n 1 WaitingForDrain",
        broken_machines=[machine("m", DRAINING, cluster="b")],
    ),
    Twin(
        "waiting for machines on their way",
        Law.SHORTFALL,
        [(machine("m", CREATING), "a/n")],
        [need("a/n")],
        "",
        "a/n 1 WaitingForCreate",
        broken_short="a/n 2 WaitingForCreate",
    ),
    Twin(
        "waiting for nothing else",
        Law.SHORTFALL,
        [(machine("m", CREATING), "a/n")],
        [need("a/n")],
        "",
        "a/n 1 WaitingForCreate",
        broken_needs=[need("a/n", 2)],
    ),
    Twin(
        "a notice ends the count",
        Law.SHORTFALL,
        [used("m", "a/n", capacity=SPOT)],
        [need("a/n")],
        broken_machines=[used("m", "a/n", capacity=SPOT, reclaim_at=60)],
    ),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_sound_answer_passes(twin):
    assert twin.passes() == set()


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_broken_twin_is_refused(twin):
    assert twin.breaks() == {twin.rule, *twin.also}


def test_what_may_have_been_its_own_and_was_lost_may_be_left_out():
    """Either machine could have been the low one's; it lacks one, and shows it a cycle later."""
    machines = [used("m", "a/low"), machine("o", CONFIGURED, cluster="a")]
    world = world_of(machines, [need("a/low"), need("b/n", 2, 9)])
    orders, waiting = "drain m b/n 600; drain o b/n 600", "b/n 2 WaitingForDrain"
    assert judge(world, orders, waiting) == set()
    assert judge(world, orders, f"{waiting}; a/low 1") == set()
    assert judge(world, orders, f"{waiting}; a/low 2") == {Law.SHORTFALL}
