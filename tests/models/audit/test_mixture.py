"""The judge of what a need holds together: evenly spread, and safe enough."""

from dataclasses import replace

import pytest
from builders import machine, need
from cycle_twins import DRAINING, FAILED, SPOT, Twin, judge, used, world_of

from models import labels
from models.need import Spread, WhenUnsatisfiable
from models.rules import Rule

TWINS = [
    Twin(
        "evenly spread",
        Rule.SPREAD,
        [machine("m"), machine("o", zone="z2"), machine("p")],
        [need("a/n", 2, spread=labels.ZONE)],
        "configure m a/n; configure o a/n",
        broken_orders="configure m a/n; configure p a/n",
    ),
    Twin(
        "what it holds counts for the spread",
        Rule.SPREAD,
        [used("m", "a/n"), machine("o", zone="z2"), machine("p")],
        [need("a/n", 2, spread=labels.ZONE)],
        "configure o a/n",
        broken_orders="configure p a/n",
    ),
    Twin(
        "busy domains count for the spread",
        Rule.SPREAD,
        [machine("m"), machine("o"), machine("p", FAILED)],
        [need("a/n", 2, spread=labels.ZONE)],
        "configure m a/n; configure o a/n",
        broken_machines=[machine("m"), machine("o"), machine("p", FAILED, zone="z2")],
    ),
    Twin(
        "no spread without the label",
        Rule.SPREAD,
        [machine("m")],
        [need("a/n", spread=labels.ZONE)],
        "configure m a/n",
        broken_machines=[machine("m", zone=None)],
    ),
    Twin(
        "the floor is safe",
        Rule.FLOOR,
        [machine("m"), machine("o", risk=0.1)],
        [need("a/n", 2, floor=1)],
        "configure m a/n; configure o a/n",
        broken_needs=[need("a/n", 2, floor=2)],
    ),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_sound_answer_passes(twin):
    assert twin.passes() == set()


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_broken_twin_is_refused(twin):
    assert twin.breaks() == {twin.rule, *twin.also}


def test_one_apart_is_even_enough_and_a_soft_spread_is_a_wish():
    machines = [machine("m"), machine("p"), machine("q", zone="z2")]
    hard = need("a/n", 2, spread=labels.ZONE)
    assert judge(world_of(machines, [hard]), "configure m a/n", "a/n 1") == set()
    soft = Spread(labels.ZONE, 1, WhenUnsatisfiable.SCHEDULE_ANYWAY)
    wish = replace(hard, spread=(soft,))
    assert judge(world_of(machines, [wish]), "configure m a/n; configure p a/n") == set()


def test_spread_counts_what_drains_for_the_need_and_nothing_of_other_needs():
    needs = [need("a/n", 2, spread=labels.ZONE), need("a/o")]
    draining = (machine("m", DRAINING, cluster="b"), "a/n")
    others = [machine("p"), machine("q", zone="z2")]
    short = "a/n 1 WaitingForDrain; a/o 1"
    assert judge(world_of([draining, *others], needs), "configure p a/n", short) == {Rule.SPREAD}
    leaving = (machine("m", DRAINING, cluster="b", capacity=SPOT, reclaim_at=60), "a/n")
    assert judge(world_of([leaving, *others], needs), "configure p a/n", "a/n 1; a/o 1") == set()
    held = [used("m", "a/o"), *others]
    assert judge(world_of(held, needs), "configure p a/n", "a/n 1") == set()


def test_the_floor_judges_only_what_is_taken_now():
    machines = [used("m", "a/n", risk=0.1), used("o", "a/n", risk=0.1), machine("p")]
    world = world_of(machines, [need("a/n", 3, floor=2)])
    assert judge(world, "configure p a/n") == set()
