"""What gives back and what is learned, where a seed seldom leads: both engines answer alike."""

import numpy as np
import pytest
from builders import fleet, machine, need

from hotpath.inventory import inventory_of
from hotpath.kernel import cycle as compiled
from hotpath.kernel.library import library
from hotpath.memory import DrainWatch, Memory
from hotpath.plain import walk
from hotpath.plain.finish import give_back
from models.action import Verb
from models.machine import State
from models.settings import Settings


@pytest.fixture(params=["numpy", "compiled"])
def cycle(request):
    """Give how to run one cycle at 0."""
    kernel = library()
    if request.param == "compiled" and kernel is None:
        pytest.skip("no kernel was compiled")

    def run(built, memory):
        given = (inventory_of(built, 0), memory, Settings(), 0.0)
        if request.param == "compiled":
            return compiled.cycle(*given, kernel)
        return give_back(walk.decide(*given), np.zeros(len(built.machines), dtype=np.bool_))

    return run


def draining(*ids):
    """Give a builder with drains of different classes, and what is remembered of them."""
    builder = fleet()
    for price, id in enumerate(ids):
        row = machine(id, State.DRAINING, cluster="b", price=float(price))
        builder.machines(row, serves="a/n")
    return builder, Memory(last_cycle=-10.0, drains={id: DrainWatch(4, 600.0) for id in ids})


def test_drains_are_hurried_by_class_then_id(cycle):
    builder, memory = draining("m3", "m1", "m2")
    built = builder.needs(need("a/n", 3)).build()
    done = cycle(built, memory)
    assert [built.machines.ids[action.machine] for action in done.actions] == ["m3", "m1", "m2"]
    assert {action.grace_seconds for action in done.actions} == {120.0}


def test_what_drains_for_a_silent_cluster_is_left_alone(cycle):
    builder, memory = draining("m")
    done = cycle(builder.needs(need("a/n", 1)).silence().build(), memory)
    assert done.actions == ()
    assert done.memory.drains == {}


def test_a_reservation_that_had_lapsed_is_taken_up_without_a_new_assignment(cycle):
    """The higher need takes what n keeps, so n takes back what it was letting go."""
    builder = fleet().needs(need("a/n", 1, 5), need("b/higher", 1, 9, zones=["z1"]))
    builder.machines(machine("kept", zone="z1", price=1.0), serves="a/n")
    builder.machines(machine("beyond", zone="z2", price=2.0), serves="a/n")
    built = builder.build()
    done = cycle(built, Memory())
    orders = [(a.verb, built.machines.ids[a.machine], built.needs[a.need].id) for a in done.actions]
    assert orders == [(Verb.CONFIGURE, "kept", "higher"), (Verb.CONFIGURE, "beyond", "n")]
    assert len(done.memory.rates) == 1
