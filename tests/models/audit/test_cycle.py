"""The judge of a cycle: for each rule an answer that passes and a broken twin that is refused."""

from dataclasses import dataclass, replace
from math import nan

import numpy as np
import pytest
from builders import RACK, fleet, machine, need, need_row, row_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import fleets

from models import labels
from models.action import Action, Verb
from models.audit import CycleAnswer, Law, audit_cycle
from models.columns import fleet_of
from models.fleet import Fleet
from models.machine import CapacityType, State
from models.need import Spread, WhenUnsatisfiable
from models.requirement import Operator, Requirement
from models.rules import Rule
from models.settings import Settings
from models.shortfall import Reason, Shortfall

IDLE, SPECULATIVE, CONFIGURED = State.IDLE, State.SPECULATIVE, State.CONFIGURED
DRAINING, CREATING, FAILED = State.DRAINING, State.CREATING, State.FAILED
SPOT, ON_DEMAND = CapacityType.SPOT, CapacityType.ON_DEMAND


def judge(world: Fleet, orders: str, short: str = "", serves: str = "", shard: int = 0):
    """Judge an answer written as text; give the rules it breaks.

    ``orders``: ``verb machine need grace``, ``-`` is nobody; ``short``: ``need count reason``;
    ``serves``: ``machine need``, beside what the orders and the fleet say.
    """
    after = np.array(world.machines.serves)
    actions = []
    for verb, id, name, grace in (f"{line} - 0".split()[:4] for line in _lines(orders)):
        wanted = need_row(world, name) if name != "-" else -1
        actions.append(Action(Verb(verb), row_of(world, id), wanted, float(grace.strip("-") or 0)))
        after[row_of(world, id)] = wanted
    for id, name in (line.split() for line in _lines(serves)):
        after[row_of(world, id)] = need_row(world, name) if name != "-" else -1
    shortfalls = [
        Shortfall(need_row(world, name), int(count), Reason((reason or ["CapacityExhausted"])[0]))
        for name, count, *reason in (line.split() for line in _lines(short))
    ]
    answer = CycleAnswer(shard, actions, shortfalls, after)
    return {violation.rule for violation in audit_cycle(world, answer, Settings())}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split(";") if line.strip()]


@dataclass(frozen=True)
class Twin:
    """A world with an answer that passes, and the change that breaks the rule."""

    name: str
    rule: Rule | Law
    machines: list
    needs: list
    orders: str = ""
    short: str = ""
    serves: str = ""
    broken_machines: list | None = None
    broken_needs: list | None = None
    broken_orders: str | None = None
    broken_short: str | None = None
    broken_serves: str | None = None
    also: tuple = ()

    def passes(self):
        return judge(_world(self.machines, self.needs), self.orders, self.short, self.serves)

    def breaks(self):
        def changed(field):
            new = getattr(self, f"broken_{field}")
            return getattr(self, field) if new is None else new

        world = _world(changed("machines"), changed("needs"))
        return judge(world, changed("orders"), changed("short"), changed("serves"))


def _world(machines, needs):
    builder = fleet().shard("s0", "a", "b").shard("s1", "c").needs(*needs)
    for row, serves in (item if isinstance(item, tuple) else (item, None) for item in machines):
        builder.machines(row, serves=serves)
    return builder.build()


def used(id, serves, **fields):
    return machine(id, CONFIGURED, cluster=serves.split("/")[0], **fields), serves


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
    Twin(
        "pinned machines are not drained",
        Rule.UNTOUCHED,
        [machine("m", CONFIGURED, cluster="a")],
        [],
        "drain m - 600",
        broken_machines=[machine("m", CONFIGURED, cluster="a", pinned=True)],
    ),
    Twin(
        "pinned machines are not deleted",
        Rule.UNTOUCHED,
        [machine("m", capacity=SPOT)],
        [],
        "delete m",
        broken_machines=[machine("m", capacity=SPOT, pinned=True)],
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
    world = _world([used("m", "a/low")], [need("a/low"), need("b/n", priority=gap)])
    for seconds in (600, 120, 30, 10):
        rules = judge(world, f"drain m b/n {seconds}", "b/n 1 WaitingForDrain")
        assert rules == (set() if seconds == grace else {Law.GRACE})


def silent_or_shadow(how):
    builder = fleet().shard("s0", "a", "b").needs(need("a/n"), need("b/n", priority=9))
    builder.machines(machine("i")).machines(machine("m", CONFIGURED, cluster="a"), serves="a/n")
    if how == "shadow":
        builder.shadow("a")
    if how == "silent":
        builder.silence()
    return builder.build()


def test_shadow_clusters_get_nothing_and_lose_nothing():
    active, shadow = silent_or_shadow("active"), silent_or_shadow("shadow")
    orders = "drain m b/n 600; configure i a/n"
    assert judge(active, orders, "b/n 1 WaitingForDrain") == set()
    assert judge(shadow, orders, "b/n 1 WaitingForDrain") == {Rule.UNTOUCHED}
    assert judge(shadow, "drain m - 600", "b/n 1") >= {Rule.UNTOUCHED}
    assert judge(shadow, "configure i a/n", "b/n 1") == {Rule.UNTOUCHED}


def test_silent_clusters_get_nothing_lose_nothing_and_lack_nothing():
    silent = silent_or_shadow("silent")
    assert judge(silent, "") == set()
    assert judge(silent, "configure i b/n") == {Rule.UNTOUCHED}
    assert judge(silent, "drain m - 600") >= {Rule.UNTOUCHED}
    assert judge(silent, "", "b/n 1") == {Law.SHORTFALL}


def test_a_machine_reserved_for_an_unknown_need_is_left_alone():
    world = _world([machine("m", capacity=SPOT)], [])
    assert judge(world, "delete m") == set()
    machines = replace(world.machines, serves=np.array([-2], dtype=np.int32))
    assert judge(replace(world, machines=machines), "delete m") == {Rule.UNTOUCHED}


def test_the_bootstrap_makes_its_labels_true():
    for key in ("kubernetes.io/kubelet-version", "feature.node.kubernetes.io/x"):
        asks = Requirement(key, Operator.EXISTS)
        world = _world([machine("m")], [need("a/n", requirements=[asks])])
        assert judge(world, "configure m a/n") == set()
    asks = Requirement("example.com/other", Operator.EXISTS)
    world = _world([machine("m")], [need("a/n", requirements=[asks])])
    assert judge(world, "configure m a/n") == {Rule.MATCHES}


def test_losses_of_this_cycle_do_not_show_before_the_next():
    """The gang was complete but for o, and got it; what it lost to b/n it will miss next time."""
    machines = [used("m", "a/g", rack="r1"), machine("o", rack="r1")]
    needs = [need("a/g", 2, 1, same=RACK), need("b/n", priority=2)]
    orders = "drain m b/n 600; configure o a/g"
    waiting = "b/n 1 WaitingForDrain"
    assert judge(_world(machines, needs), orders, waiting) == set()
    assert judge(_world(machines, needs), orders, f"{waiting}; a/g 1") == set()
    needs[0] = replace(needs[0], count=3)
    assert judge(_world(machines, needs), orders, f"{waiting}; a/g 1") == {Law.WHOLE_GANG}


def test_a_label_of_the_bootstrap_is_compared_where_a_configured_machine_has_it():
    key = "kubernetes.io/kubelet-version"
    wants = need("a/n", requirements=[Requirement(key, Operator.GTE, ("1.31",))])
    for version, rules in (("1.30", set()), ("1.31", {Law.EXCESS}), (None, {Law.EXCESS})):
        row = machine("m", CONFIGURED, cluster="a")
        row = replace(row, labels={**row.labels, **({key: version} if version else {})})
        assert judge(_world([row], [wants]), "drain m - 600", "a/n 1") == rules


def test_the_grace_may_be_to_any_need_it_could_have_served():
    machines = [machine("m", CONFIGURED, cluster="a", rack="r1")]
    needs = [need("a/g", same=RACK), need("b/n", priority=100_001)]
    for seconds, rules in ((120, set()), (600, set()), (30, {Law.GRACE})):
        orders = f"drain m b/n {seconds}"
        short = "b/n 1 WaitingForDrain; a/g 1"
        assert judge(_world(machines, needs), orders, short) == rules


def test_an_idle_machine_of_unknown_price_may_be_used():
    assert judge(_world([machine("m", price=nan)], [need("a/n")]), "configure m a/n") == set()


def test_no_machine_is_drained_for_another_shard():
    world = _world([machine("m", CONFIGURED, cluster="a")], [need("c/n", priority=9)])
    assert judge(world, "drain m c/n 600") == {Law.OWN_NEED}


def test_what_served_before_stays_whether_it_matches_or_not():
    machines = [used("m", "a/n", zone="z2")]
    assert judge(_world(machines, [need("a/n", zones=["z1"])]), "") == set()


def test_needs_of_one_cluster_share_their_reservations():
    world = _world([(machine("m"), "a/n")], [need("a/n"), need("a/o")])
    assert judge(world, "configure m a/o", "a/n 1") == set()


def test_a_reservation_that_its_need_does_not_lack_is_free_to_take():
    machines = [(machine("m"), "a/n"), used("o", "a/n")]
    assert judge(_world(machines, [need("a/n"), need("b/n")]), "configure m b/n") == set()


def test_one_apart_is_even_enough_and_a_soft_spread_is_a_wish():
    machines = [machine("m"), machine("p"), machine("q", zone="z2")]
    hard = need("a/n", 2, spread=labels.ZONE)
    assert judge(_world(machines, [hard]), "configure m a/n", "a/n 1") == set()
    soft = Spread(labels.ZONE, 1, WhenUnsatisfiable.SCHEDULE_ANYWAY)
    wish = replace(hard, spread=(soft,))
    assert judge(_world(machines, [wish]), "configure m a/n; configure p a/n") == set()


def test_spread_counts_what_drains_for_the_need_and_nothing_of_other_needs():
    needs = [need("a/n", 2, spread=labels.ZONE), need("a/o")]
    draining = (machine("m", DRAINING, cluster="b"), "a/n")
    others = [machine("p"), machine("q", zone="z2")]
    short = "a/n 1 WaitingForDrain; a/o 1"
    assert judge(_world([draining, *others], needs), "configure p a/n", short) == {Rule.SPREAD}
    held = [used("m", "a/o"), *others]
    assert judge(_world(held, needs), "configure p a/n", "a/n 1") == set()


def test_the_floor_judges_only_what_is_taken_now():
    machines = [used("m", "a/n", risk=0.1), used("o", "a/n", risk=0.1), machine("p")]
    world = _world(machines, [need("a/n", 3, floor=2)])
    assert judge(world, "configure p a/n") == set()


@pytest.mark.parametrize("state", [FAILED, State.DELETING])
def test_a_gang_is_not_completed_by_what_is_gone(state):
    machines = [machine("m", rack="r1"), machine("o", state, rack="r1")]
    world = _world(machines, [need("a/n", 2, same=RACK)])
    assert judge(world, "configure m a/n", "a/n 1", "o a/n") >= {Law.WHOLE_GANG}


def test_a_machine_with_a_notice_may_still_be_let_go():
    world = _world([machine("m", capacity=SPOT, reclaim_at=60)], [])
    assert judge(world, "delete m") == set()


def test_a_reservation_ends_with_the_want_or_the_fit():
    full = [used("o", "a/n"), (machine("m", capacity=SPOT), "a/n")]
    assert judge(_world(full, [need("a/n")]), "delete m") == set()
    small = [(machine("m", capacity=SPOT, gpu=4), "a/n")]
    assert judge(_world(small, [need("a/n", gpu=8)]), "delete m", "a/n 1") == set()


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
    world = _world([(row, "b/n")], [need("a/n"), need("b/n")])
    assert (Law.TRANSITION in judge(world, orders)) == broken


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (CycleAnswer(5, (), (), np.array([-1], dtype=np.int32)), Law.OWN_MACHINE),
        (CycleAnswer(0, (), (), np.array([], dtype=np.int32)), Law.SERVES),
        (CycleAnswer(0, (), (), np.array([7], dtype=np.int32)), Law.SERVES),
        (
            CycleAnswer(0, [Action(Verb.DELETE, 9)], (), np.array([-1], dtype=np.int32)),
            Law.TRANSITION,
        ),
        (
            CycleAnswer(0, [Action(Verb.CREATE, 0, 9)], (), np.array([-1], dtype=np.int32)),
            Law.TRANSITION,
        ),
        (
            CycleAnswer(0, (), [Shortfall(9, 1, Reason.READ_ONLY)], np.array([-1], dtype=np.int32)),
            Law.SHORTFALL,
        ),
    ],
)
def test_rows_that_do_not_exist_are_refused(answer, rule):
    world = _world([machine("m")], [])
    assert {violation.rule for violation in audit_cycle(world, answer, Settings())} == {rule}


@given(fleets(), st.data())
def test_doing_nothing_but_saying_so_is_legal(rows, data):
    """Every shard reports what its needs lack and orders nothing."""
    rows = replace(rows, machines=[replace(m, serves=-1) for m in rows.machines])
    world = fleet_of(rows)
    serves = np.full(len(world.machines), -1, dtype=np.int32)
    for shard, owner in enumerate(world.shards):
        shortfalls = [
            Shortfall(row, need.count, Reason.READ_ONLY)
            for row, need in enumerate(world.needs)
            if need.count
            and world.need_cluster[row] in owner.clusters
            and not world.silent[world.need_cluster[row]]
        ]
        assert audit_cycle(world, CycleAnswer(shard, (), shortfalls, serves), Settings()) == ()
        if shortfalls:
            left_out = data.draw(st.sampled_from(shortfalls))
            less = [s for s in shortfalls if s is not left_out]
            shadow = world.shadow[world.need_cluster[left_out.need]]
            found = audit_cycle(world, CycleAnswer(shard, (), less, serves), Settings())
            assert {violation.rule for violation in found} == (set() if shadow else {Law.SHORTFALL})


@given(fleets(), st.data())
def test_first_come_first_served_is_legal_and_a_stranger_is_not(rows, data):
    """Plain needs take what suits them, one machine after the other, judged from the rows."""
    rows = replace(rows, machines=[replace(m, serves=-1) for m in rows.machines])
    world = fleet_of(rows)
    by_id = {row.id: row for row in rows.machines}
    left = [by_id[id] for id in world.machines.ids]
    for shard, owner in enumerate(world.shards):
        answer = _first_come(world, shard, left)
        assert audit_cycle(world, answer, Settings()) == ()
        if not answer.actions:
            continue
        taken = data.draw(st.sampled_from(answer.actions))
        others = [
            row
            for row, other in enumerate(left)
            if other.shard == owner.name and not _suits(other, world.needs[taken.need])
        ]
        if others:
            row = data.draw(st.sampled_from(others))
            serves = np.array(answer.serves)
            serves[[taken.machine, row]] = -1, taken.need
            actions = [replace(a, machine=row) if a is taken else a for a in answer.actions]
            swapped = replace(answer, actions=actions, serves=serves)
            found = {violation.rule for violation in audit_cycle(world, swapped, Settings())}
            assert found & {Rule.MATCHES, Rule.FITS}


def _first_come(world, shard, machines):
    serves = np.full(len(machines), -1, dtype=np.int32)
    actions, shortfalls = [], []
    for wanted, row in enumerate(world.needs):
        cluster = world.need_cluster[wanted]
        if cluster not in world.shards[shard].clusters or world.silent[cluster]:
            continue
        lacks = row.count
        plain = not (row.is_gang or row.spread or row.floor or world.shadow[cluster])
        for index, candidate in enumerate(machines):
            verb = {IDLE: Verb.CONFIGURE, SPECULATIVE: Verb.CREATE}.get(candidate.state)
            unpriced = verb is Verb.CREATE and np.isnan(candidate.price_per_hour)
            if not plain or not lacks or verb is None or unpriced or serves[index] >= 0:
                continue
            mine = candidate.shard == world.shards[shard].name
            if mine and np.isnan(candidate.reclaim_at) and _suits(candidate, row):
                serves[index] = wanted
                actions.append(Action(verb, index, wanted))
                lacks -= 1
        if lacks:
            shortfalls.append(Shortfall(wanted, lacks, Reason.CAPACITY_EXHAUSTED))
    return CycleAnswer(shard, actions, shortfalls, serves)


def _suits(row, wanted):
    values = dict(row.labels)
    values[labels.CAPACITY_TYPE] = str(row.capacity_type)
    if row.instance_type:
        values[labels.INSTANCE_TYPE] = row.instance_type
    return all(
        requirement.matches(values.get(requirement.key))
        for requirement in wanted.requirements
        if requirement.key != "kubernetes.io/kubelet-version"
    ) and all(row.resources.get(name, 0) >= amount for name, amount in wanted.resources.items())
