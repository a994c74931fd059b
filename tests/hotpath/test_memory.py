"""What outlives a cycle: since when excess stands, arrivals, ages."""

from builders import fleet, machine, need

from hotpath.cycle import cycle
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from models.action import Verb
from models.machine import State
from models.settings import Settings


def held(count, machines=5):
    row = machine("h{}", State.CONFIGURED, cluster="a")
    return fleet().machines(row, machines, serves="n").needs(need("a/n", count)).build()


def drains(counts, step=10.0, memory=None, start=0.0):
    """Run a cycle each ``step`` seconds; give the times at which machines were drained."""
    memory, found = memory or Memory(), []
    for index, count in enumerate(counts):
        now = start + step * index
        done = cycle(inventory_of(held(count), 0), memory, Settings(), now)
        found += [now for action in done.actions if action.verb is Verb.DRAIN]
        memory = done.memory
    return found


def test_flapping_needs_drain_nothing():
    assert drains([5, 4] * 30) == []


def test_excess_drains_once_it_has_stood_for_the_delay():
    # Beyond the count since 10 s, so from 70 s on (the fleet here never changes).
    assert drains([5, *[4] * 6]) == []
    assert drains([5, *[4] * 7]) == [70.0]


def test_an_interruption_starts_the_clock_anew():
    assert drains([5, *[4] * 6, 5, *[4] * 6]) == []


def test_before_the_first_cycle_timers_count_from_the_state():
    assert drains([4]) == [0.0]


def test_what_stopped_being_excess_is_forgotten():
    first = cycle(inventory_of(held(5), 0), Memory(), Settings(), 0.0).memory
    beyond = cycle(inventory_of(held(4), 0), first, Settings(), 10.0).memory
    assert list(beyond.excess_since.values()) == [10.0]
    assert cycle(inventory_of(held(5), 0), beyond, Settings(), 20.0).memory.excess_since == {}


def test_a_need_ages_while_it_is_short_and_is_young_again_after():
    memory, ages = Memory(), []
    for count in (6, 6, 6, 5, 6):
        done = cycle(inventory_of(held(count), 0), memory, Settings(), 0.0)
        ages.append([short.age_cycles for short in done.shortfalls])
        memory = done.memory
    assert ages == [[1], [2], [3], [], [1]]


def test_who_came_first_is_served_first_until_it_goes():
    def built(*names):
        builder = fleet().machines(machine("m", gpu=8))
        return builder.needs(*(need(f"a/{name}", 1, gpu=8) for name in names)).build()

    def winner(fleet_, memory, now):
        done = cycle(inventory_of(fleet_, 0), memory, Settings(), now)
        (action,) = done.actions
        return fleet_.needs[action.need].id, done.memory

    name, memory = winner(built("late"), Memory(), 0.0)
    assert name == "late"
    assert winner(built("early", "late"), memory, 10.0)[0] == "late"
    _, gone = winner(built("early"), memory, 10.0)
    assert winner(built("early", "late"), gone, 20.0)[0] == "early"
    assert winner(built("early", "late"), Memory(), 0.0)[0] == "early"
