"""Drains under pressure: a shorter grace once per five cycles, and a report."""

from builders import fleet, machine, need

from hotpath.cycle import cycle
from hotpath.inventory import inventory_of
from hotpath.memory import DrainWatch, Memory
from hotpath.plain.escalate import overdue
from models.action import Verb
from models.machine import State
from models.settings import Settings


def draining(count=1):
    row = machine("m", State.DRAINING, cluster="b")
    return fleet().machines(row, serves="n").needs(need("a/n", count, 5)).build()


def run(cycles, grace=600.0, fleet_=None):
    """Give (cycle, grace) of each shortened drain, and the memory at the end."""
    memory = Memory(drains={"m": DrainWatch(0, grace)})
    found = []
    for number in range(1, cycles + 1):
        done = cycle(inventory_of(fleet_ or draining(), 0), memory, Settings(), 10.0 * number)
        found += [(number, a.grace_seconds) for a in done.actions if a.verb is Verb.DRAIN]
        memory = done.memory
    return found, memory


def test_the_grace_takes_the_next_step_once_per_five_cycles():
    assert run(25)[0] == [(5, 120.0), (10, 30.0), (15, 10.0)]
    assert run(25, grace=30.0)[0] == [(5, 10.0)]


def test_a_drain_older_than_five_cycles_is_reported():
    assert overdue(run(5)[1].drains) == []
    assert overdue(run(6)[1].drains) == ["m"]


def test_nobody_hurries_a_drain_that_no_need_waits_for():
    assert run(12, fleet_=draining(count=0))[0] == []
    assert overdue(run(12, fleet_=draining(count=0))[1].drains) == []


def test_a_file_escalates_nothing():
    assert cycle(inventory_of(draining(), 0), Memory(), Settings(), 0.0).actions == ()


def test_the_watch_starts_with_the_grace_that_was_ordered():
    row = machine("m", State.CONFIGURED, cluster="b")
    built = fleet().machines(row, serves="x").needs(need("a/n", 1, 200_000), need("b/x")).build()
    done = cycle(inventory_of(built, 0), Memory(), Settings(), 0.0)
    assert done.memory.drains == {"m": DrainWatch(0, 120.0)}
