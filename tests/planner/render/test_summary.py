"""The numbers of a fleet and of what is bought."""

from dataclasses import replace
from math import nan

from models.action import Action, Verb
from models.builder import FleetBuilder
from models.machine import CapacityType, MachineRow, State
from models.need import Need
from planner.render.summary import summary_of

SLOT = MachineRow("s{}", CapacityType.ON_DEMAND, instance_type="big", price_per_hour=2.5)
IDLE = replace(SLOT, id="i{}", state=State.IDLE, host_ref="h{}", price_per_hour=1.0)
UNPRICED = replace(IDLE, id="u", host_ref="u", price_per_hour=nan)


def test_cost_follows_what_is_bought_and_given_back():
    fleet = (
        FleetBuilder()
        .machines(SLOT, 3)
        .machines(IDLE, 2)
        .machines(UNPRICED)
        .needs(Need("n", cluster="a", count=2))
        .build()
    )
    row = {name: index for index, name in enumerate(fleet.machines.ids)}
    actions = [
        Action(Verb.CREATE, row["s0"], 0),
        Action(Verb.CREATE, row["s2"], 0),
        Action(Verb.CONFIGURE, row["i0"], 0),
        Action(Verb.DELETE, row["i1"]),
        Action(Verb.DELETE, row["u"]),
    ]
    got = summary_of(fleet, actions)
    assert (got.machines, got.hosts, got.serving, got.unpriced) == (6, 3, 0, 1)
    assert (got.cost_before, got.cost_after) == (2.0, 6.0)
    [bought] = got.purchases
    assert (bought.count, bought.instance_type, bought.cost_per_hour) == (2, "big", 5.0)


def test_what_costs_most_together_comes_first_and_the_unknown_last():
    fleet = (
        FleetBuilder()
        .machines(replace(SLOT, id="a{}", instance_type="a", price_per_hour=nan), 2)
        .machines(replace(SLOT, id="b{}", instance_type="b", price_per_hour=1.0), 5)
        .machines(replace(SLOT, id="c{}", instance_type="c", price_per_hour=4.0), 1)
        .needs(Need("n", cluster="a", count=8))
        .build()
    )
    got = summary_of(fleet, [Action(Verb.CREATE, row, 0) for row in range(8)])
    assert [(row.instance_type, row.count) for row in got.purchases] == [
        ("b", 5), ("c", 1), ("a", 2),
    ]  # fmt: skip
