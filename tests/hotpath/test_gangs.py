"""Where a gang grows: in the domain that holds most of it, what drains for it counted."""

from builders import RACK, fleet, machine, need

from hotpath.cycle import cycle
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from models.action import Verb
from models.machine import State
from models.settings import Settings


def configured_for(builder, count):
    built = builder.needs(need("a/gang", count, same=RACK)).build()
    done = cycle(inventory_of(built, 0), Memory(), Settings(), now=0.0)
    assert {action.verb for action in done.actions} <= {Verb.CONFIGURE}
    return {built.machines.ids[action.machine] for action in done.actions}


def member(id, rack, state=State.CONFIGURED):
    return machine(id, state, cluster="a", rack=rack)


def test_a_split_gang_grows_where_most_of_it_is():
    builder = (
        fleet()
        .machines(member("m{}", "r2"), 2, serves="gang")
        .machines(member("o", "r1"), serves="gang")
        .machines(machine("i1", rack="r1"))
        .machines(machine("i2", rack="r2"))
    )
    assert configured_for(builder, 4) == {"i2"}


def test_what_drains_for_a_gang_pins_it():
    builder = (
        fleet()
        .machines(member("d", "r2", State.DRAINING), serves="gang")
        .machines(machine("i1", rack="r1"))
        .machines(machine("i2", rack="r2"))
    )
    assert configured_for(builder, 2) == {"i2"}
