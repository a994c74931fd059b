"""The judge of assignments: who gets a machine, whether it suits, never more than asked for."""

from dataclasses import replace
from math import nan

import pytest
from builders import machine, need
from cycle_twins import CONFIGURED, CREATING, DRAINING, SPECULATIVE, Twin, judge, used, world_of

from models.audit import Law
from models.requirement import Operator, Requirement
from models.rules import Rule

TWINS = [
    Twin(
        "for a need of its own clusters",
        Law.OWN_NEED,
        [machine("m")],
        [need("a/n"), need("c/n")],
        "configure m a/n",
        broken_orders="configure m c/n",
        broken_short="a/n 1",
    ),
    Twin(
        "for a need at all",
        Law.OWN_NEED,
        [machine("m")],
        [need("a/n")],
        "configure m a/n",
        broken_orders="configure m -",
        broken_short="a/n 1",
    ),
    Twin(
        "a price that is known",
        Rule.PRICE_KNOWN,
        [machine("m", SPECULATIVE, price=0)],
        [need("a/n")],
        "create m a/n",
        broken_machines=[machine("m", SPECULATIVE, price=nan)],
    ),
    Twin(
        "matches",
        Rule.MATCHES,
        [machine("m", zone="z1")],
        [need("a/n", zones=["z1"])],
        "configure m a/n",
        broken_machines=[machine("m", zone="z2")],
    ),
    Twin(
        "matches what it is attributed to",
        Rule.MATCHES,
        [machine("m", CONFIGURED, cluster="a")],
        [need("a/n", zones=["z1"])],
        serves="m a/n",
        broken_machines=[machine("m", CONFIGURED, cluster="a", zone="z2")],
    ),
    Twin(
        "a preempted machine matches",
        Rule.MATCHES,
        [used("m", "a/low")],
        [need("a/low"), need("b/high", priority=10, zones=["z1"])],
        "drain m b/high 600",
        "b/high 1 WaitingForDrain; a/low 1",
        broken_machines=[used("m", "a/low", zone="z2")],
    ),
    Twin(
        "fits to the unit",
        Rule.FITS,
        [machine("m", gpu=8)],
        [need("a/n", gpu=8)],
        "configure m a/n",
        broken_machines=[machine("m", gpu=7)],
    ),
    Twin(
        "a resource no machine has",
        Rule.FITS,
        [machine("m")],
        [need("a/n")],
        "configure m a/n",
        broken_needs=[replace(need("a/n"), resources={"tpu": 1})],
    ),
    Twin(
        "serves its own cluster",
        Law.SERVES,
        [machine("m", CONFIGURED, cluster="a")],
        [need("a/n"), need("b/n")],
        "",
        "b/n 1",
        "m a/n",
        broken_serves="m b/n",
        broken_short="a/n 1",
    ),
    Twin(
        "no more than the count",
        Law.COUNT,
        [used("m", "a/n"), machine("o")],
        [need("a/n", 2)],
        "configure o a/n",
        broken_needs=[need("a/n", 1)],
    ),
    Twin(
        "machines on their way count",
        Law.COUNT,
        [(machine("m", CREATING), "a/n"), machine("o")],
        [need("a/n", 2)],
        "configure o a/n",
        broken_needs=[need("a/n", 1)],
    ),
    Twin(
        "no reservation taken by an equal need",
        Rule.PRIORITY,
        [(machine("m"), "a/n")],
        [need("a/n", priority=1), need("b/n", priority=2)],
        "configure m b/n",
        "a/n 1",
        broken_needs=[need("a/n", priority=2), need("b/n", priority=2)],
    ),
    Twin(
        "no drain taken over by an equal need",
        Rule.PRIORITY,
        [(machine("m", DRAINING, cluster="a"), "a/n")],
        [need("a/n", priority=1), need("b/n", priority=2)],
        "",
        "a/n 1; b/n 1 WaitingForDrain",
        "m b/n",
        broken_needs=[need("a/n", priority=2), need("b/n", priority=2)],
    ),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_sound_answer_passes(twin):
    assert twin.passes() == set()


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_broken_twin_is_refused(twin):
    assert twin.breaks() == {twin.rule, *twin.also}


def test_the_bootstrap_makes_its_labels_true():
    for key in ("kubernetes.io/kubelet-version", "feature.node.kubernetes.io/x"):
        asks = Requirement(key, Operator.EXISTS)
        world = world_of([machine("m")], [need("a/n", requirements=[asks])])
        assert judge(world, "configure m a/n") == set()
    asks = Requirement("example.com/other", Operator.EXISTS)
    world = world_of([machine("m")], [need("a/n", requirements=[asks])])
    assert judge(world, "configure m a/n") == {Rule.MATCHES}


def test_an_idle_machine_of_unknown_price_may_be_used():
    assert judge(world_of([machine("m", price=nan)], [need("a/n")]), "configure m a/n") == set()


def test_no_machine_is_drained_for_another_shard():
    world = world_of([machine("m", CONFIGURED, cluster="a")], [need("c/n", priority=9)])
    assert judge(world, "drain m c/n 600") == {Law.OWN_NEED}


def test_what_served_before_stays_whether_it_matches_or_not():
    machines = [used("m", "a/n", zone="z2")]
    assert judge(world_of(machines, [need("a/n", zones=["z1"])]), "") == set()


def test_needs_of_one_cluster_share_their_reservations():
    world = world_of([(machine("m"), "a/n")], [need("a/n"), need("a/o")])
    assert judge(world, "configure m a/o", "a/n 1") == set()


def test_a_reservation_that_its_need_does_not_lack_is_free_to_take():
    machines = [(machine("m"), "a/n"), used("o", "a/n")]
    assert judge(world_of(machines, [need("a/n"), need("b/n")]), "configure m b/n") == set()
