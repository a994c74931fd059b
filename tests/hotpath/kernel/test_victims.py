"""Phase 2 in the compiled shard: the victims are numpy's, in numpy's order."""

from dataclasses import replace

import pytest
from builders import RACK, fleet, machine, need
from oracle.besieged import besieged

from hotpath.inventory import inventory_of
from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from hotpath.memory import Memory
from hotpath.plain import walk
from models import labels
from models.action import Verb
from models.columns import fleet_of
from models.machine import State
from models.requirement import Operator, Requirement
from models.settings import Settings
from models.settings.sections import PreemptSettings

pytestmark = pytest.mark.skipif(library() is None, reason="no C compiler was there at build time")

SATURATED = Settings(preempt=PreemptSettings(saturation=0.1))
"""Here every tier-1 preemptor goes by the score of a full shard."""

SEEDS_A_CHUNK = 75
CHUNKS = 4


def answers(fleet, settings):
    """The orders and shortfalls of both engines after phases 1 and 2."""
    inventory = inventory_of(fleet, 0)
    expected = walk.decide(inventory, Memory(), settings, now=0.0)
    live = Live(inventory, Memory(), settings, library())
    live.open(0.0)
    live.serve()
    orders = live.answer()
    actions = orders.actions(inventory.fleet, inventory.rows)
    reported = orders.reported(inventory.fleet, inventory.rows)
    # What one walk gathered is of no use to the next.
    live.open(0.0)
    live.serve()
    assert live.answer().actions(inventory.fleet, inventory.rows) == actions
    return (
        (tuple(expected.ledger.actions), expected.shadowed, expected.shortfalls),
        (actions, reported, orders.shortfalls()),
    )


def answers_of(seed):
    return answers(fleet_of(besieged(seed)), SATURATED if seed % 2 else Settings())


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_both_engines_drain_the_same_machines_for_the_same_needs(chunk):
    for seed in range(chunk * SEEDS_A_CHUNK, (chunk + 1) * SEEDS_A_CHUNK):
        expected, found = answers_of(seed)
        assert found == expected, f"The fleet is besieged({seed})."


def test_besieged_fleets_see_drains():
    drains = [
        action
        for seed in range(40)
        for action in answers_of(seed)[1][0]
        if action.verb is Verb.DRAIN
    ]
    assert len(drains) > 80
    assert any(action.reason.startswith("preempted") for action in drains)
    assert any(action.reason.startswith("beyond") for action in drains)


def drained_for(builder, name):
    """The machines that both engines drain for a need, by id."""
    built = builder.build()
    expected, found = answers(built, Settings())
    assert found == expected
    return [
        built.machines.ids[action.machine]
        for action in found[0]
        if action.verb is Verb.DRAIN and built.needs[action.need].id == name
    ]


def serving(id, rack, **fields):
    return machine(id, State.CONFIGURED, cluster="a", rack=rack, **fields)


def gang(name, count, priority=1_000_000):
    return need(f"z/{name}", count, priority, same=RACK)


def wants_x(name, count):
    asked = Requirement(labels.INSTANCE_TYPE, Operator.IN, ("x",))
    return need(f"z/{name}", count, 1_000_000, requirements=(asked,))


def test_a_gang_sees_what_was_taken_since_another_one_looked():
    """The first one leaves nothing over in rc; then ra loses two, and holds the third exactly."""
    builder = (
        fleet()
        .machines(serving("c{}", "rc"), 2, serves="low")
        .machines(serving("x{}", "ra", instance_type="x"), 2, serves="low")
        .machines(serving("a{}", "ra"), 2, serves="low")
        .machines(serving("b{}", "rb"), 3, serves="low")
        .needs(need("a/low", 9), gang("g0", 2), wants_x("g1", 2), gang("g2", 2))
    )
    assert drained_for(builder, "g2") == ["a0", "a1"]


def test_a_gang_counts_only_what_is_below_it_though_a_higher_one_counted_more():
    builder = (
        fleet()
        .machines(serving("c{}", "rc"), 2, serves="low")
        .machines(serving("y{}", "ry", instance_type="w"), 4, serves="low")
        .machines(serving("z{}", "rz", instance_type="w"), 3, serves="low")
        .machines(serving("m", "rz", instance_type="w"), serves="mid")
        .needs(need("a/low", 9), need("a/mid", 1, 600), gang("g0", 2), gang("g1", 2, 500))
    )
    assert drained_for(builder, "g1") == ["z0", "z1"]


def test_a_gang_that_was_broken_already_is_not_interrupted_again():
    broken = replace(need("a/v", 2, same=labels.ZONE), interruption_penalty=100.0)
    builder = (
        fleet()
        .machines(serving("x", "rx", instance_type="x"), serves="v")
        .machines(serving("z", "rz"), serves="v")
        .machines(serving("y", "ry"), serves="low")
        .needs(broken, replace(need("a/low", 1), interruption_penalty=50.0))
        .needs(wants_x("p0", 1), gang("p1", 1))
    )
    assert drained_for(builder, "p1") == ["z"]


def test_what_phase_1_gave_a_need_counts_for_its_skew():
    """It takes what is free in one rack of a class, so the next is of the other."""
    builder = (
        fleet()
        .machines(machine("m0", rack="r1"))
        .machines(machine("m1", State.CONFIGURED, cluster="b", rack="r1"), serves="low")
        .machines(machine("m2", State.CONFIGURED, cluster="b", rack="r2"), serves="low")
        .needs(need("a/up", 2, 5, spread=RACK), need("b/low", 2))
    )
    assert drained_for(builder, "up") == ["m2"]
