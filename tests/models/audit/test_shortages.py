"""The judge of shortfalls: one for each short need, none for any other, true counts."""

import pytest
from builders import machine, need
from cycle_twins import CREATING, DRAINING, SPOT, Twin, used

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
