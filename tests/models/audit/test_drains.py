"""The judge of drains: whose machine may be taken, for whom, how many, with what grace."""

from dataclasses import replace
from math import nan

import pytest
from builders import RACK, machine, need
from cycle_twins import CONFIGURED, DRAINING, SPOT, Twin, judge, used, world_of

from models import labels
from models.audit import Law
from models.requirement import Operator, Requirement
from models.rules import Rule

TWINS = [
    Twin(
        "pinned machines are not drained",
        Rule.UNTOUCHED,
        [machine("m", CONFIGURED, cluster="a")],
        [],
        "drain m - 600",
        broken_machines=[machine("m", CONFIGURED, cluster="a", pinned=True)],
    ),
    Twin(
        "what suits a plain need is not drained past it",
        Law.EXCESS,
        [machine("m", CONFIGURED, cluster="a")],
        [need("a/n", zones=["z2"])],
        "drain m - 600",
        "a/n 1",
        broken_needs=[need("a/n", zones=["z1"])],
    ),
    Twin(
        "what no longer suits is excess, whatever the file says",
        Law.EXCESS,
        [used("m", "a/n", gpu=4)],
        [need("a/n", gpu=8)],
        "drain m - 600",
        "a/n 1",
        broken_needs=[need("a/n", gpu=4)],
    ),
    Twin(
        "a gang's member is not spare",
        Law.EXCESS,
        [machine("m", CONFIGURED, cluster="a", rack="r1")],
        [need("a/g", 0, same=RACK), need("a/n")],
        "drain m - 600",
        "a/n 1",
        broken_needs=[need("a/g", 0, same=RACK, zones=["z2"]), need("a/n")],
    ),
    Twin(
        "what a file says is no gang's is spare",
        Law.EXCESS,
        [used("m", "a/g", rack="r1")],
        [need("a/g", 0, same=RACK), need("a/n")],
        "drain m - 600",
        "a/n 1",
        broken_needs=[need("a/g", 0), need("a/n")],
    ),
    Twin(
        "only a lower need gives way",
        Rule.PRIORITY,
        [used("m", "a/n")],
        [need("a/n", priority=1), need("b/n", priority=2)],
        "drain m b/n 600",
        "b/n 1 WaitingForDrain",
        broken_needs=[need("a/n", priority=2), need("b/n", priority=2)],
        broken_short="b/n 1 WaitingForDrain; a/n 1",
    ),
    Twin(
        "whatever the file says it serves",
        Rule.PRIORITY,
        [machine("m", CONFIGURED, cluster="a")],
        [need("a/n", priority=1), need("b/n", priority=2)],
        "drain m b/n 600",
        "b/n 1 WaitingForDrain",
        broken_needs=[need("a/n", priority=3), need("b/n", priority=2)],
        broken_short="b/n 1 WaitingForDrain; a/n 1",
    ),
    Twin(
        "a gang of equal priority keeps its machine",
        Rule.PRIORITY,
        [used("m", "a/n", rack="r1")],
        [need("a/n", priority=1, same=RACK), need("b/n", priority=2)],
        "drain m b/n 600",
        "b/n 1 WaitingForDrain",
        broken_needs=[need("a/n", priority=2, same=RACK), need("b/n", priority=2)],
        broken_short="b/n 1 WaitingForDrain; a/n 1",
    ),
    Twin(
        "only excess is drained for nobody",
        Law.EXCESS,
        [used("m", "a/n"), used("o", "a/n")],
        [need("a/n", 1)],
        "drain o - 600",
        broken_needs=[need("a/n", 2)],
        broken_short="a/n 1",
    ),
    Twin(
        "no more drains than short",
        Law.DEFICIT,
        [used("m", "a/low"), used("o", "a/low")],
        [need("a/low", 2), need("b/n", 2, 5)],
        "drain m b/n 600; drain o b/n 600",
        "b/n 2 WaitingForDrain",
        broken_needs=[need("a/low", 2), need("b/n", 1, 5)],
        broken_short="b/n 1 WaitingForDrain",
    ),
    Twin(
        "drains under way are enough",
        Law.DEFICIT,
        [(machine("m", DRAINING, cluster="a"), "b/n"), used("o", "a/low")],
        [need("a/low", 1), need("b/n", 2, 5)],
        "drain o b/n 600",
        "b/n 2 WaitingForDrain",
        broken_needs=[need("a/low", 1), need("b/n", 1, 5)],
        broken_short="b/n 1 WaitingForDrain",
    ),
    Twin(
        "excess has ten minutes",
        Law.GRACE,
        [machine("m", CONFIGURED, cluster="a")],
        [],
        "drain m - 600",
        broken_orders="drain m - 10",
    ),
    Twin(
        "one step is hurried at a time, from the table",
        Law.GRACE,
        [(machine("m", DRAINING, cluster="a"), "b/n")],
        [need("b/n")],
        "drain m b/n 120",
        "b/n 1 WaitingForDrain",
        broken_orders="drain m b/n 600",
    ),
    Twin(
        "what a file says is a plain need's is spare too",
        Law.EXCESS,
        [used("m", "a/g", rack="r1")],
        [need("a/g", 0, same=RACK), need("a/o", 0), need("a/n")],
        "drain m - 600",
        "a/n 1",
        broken_machines=[used("m", "a/o", rack="r1")],
    ),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_sound_answer_passes(twin):
    assert twin.passes() == set()


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_the_broken_twin_is_refused(twin):
    assert twin.breaks() == {twin.rule, *twin.also}


@pytest.mark.parametrize(
    ("gap", "grace"),
    [
        (1, 600),
        (100_000, 600),
        (100_001, 120),
        (499_999, 120),
        (500_000, 30),
        (900_000, 30),
        (900_001, 10),
    ],
)
def test_the_grace_follows_the_gap(gap, grace):
    world = world_of([used("m", "a/low")], [need("a/low"), need("b/n", priority=gap)])
    for seconds in (600, 120, 30, 10):
        rules = judge(world, f"drain m b/n {seconds}", "b/n 1 WaitingForDrain")
        assert rules == (set() if seconds == grace else {Law.GRACE})


def test_a_label_of_the_bootstrap_is_compared_where_a_configured_machine_has_it():
    key = "kubernetes.io/kubelet-version"
    wants = need("a/n", requirements=[Requirement(key, Operator.GTE, ("1.31",))])
    for version, rules in (("1.30", set()), ("1.31", {Law.EXCESS}), (None, {Law.EXCESS})):
        row = machine("m", CONFIGURED, cluster="a")
        row = replace(row, labels={**row.labels, **({key: version} if version else {})})
        assert judge(world_of([row], [wants]), "drain m - 600", "a/n 1") == rules


def test_the_grace_may_be_to_any_need_it_could_have_served():
    machines = [machine("m", CONFIGURED, cluster="a", rack="r1")]
    needs = [need("a/g", same=RACK), need("b/n", priority=100_001)]
    for seconds, rules in ((120, set()), (600, set()), (30, {Law.GRACE})):
        orders = f"drain m b/n {seconds}"
        short = "b/n 1 WaitingForDrain; a/g 1"
        assert judge(world_of(machines, needs), orders, short) == rules


@pytest.mark.parametrize(("notice", "broken"), [(nan, {Law.DEFICIT}), (60, set())])
def test_a_drain_that_ends_in_a_reclaim_is_made_up_for(notice, broken):
    leaving = (machine("m", DRAINING, cluster="a", capacity=SPOT, reclaim_at=notice), "b/n")
    world = world_of([leaving, used("o", "a/low")], [need("a/low"), need("b/n", priority=5)])
    assert judge(world, "drain o b/n 600", "b/n 1 WaitingForDrain") == broken


@pytest.mark.parametrize(
    ("lacking", "broken"),
    [
        (need("a/n"), {Law.EXCESS}),
        (need("a/n", spread=labels.ZONE), set()),
        (need("a/n", floor=1), set()),
        (need("a/n", same=RACK), set()),
    ],
)
def test_who_may_refuse_a_machine_claims_none_that_another_had(lacking, broken):
    world = world_of([used("m", "a/o", rack="r1")], [lacking, need("a/o", 0)])
    assert judge(world, "drain m - 600", "a/n 1") == broken
