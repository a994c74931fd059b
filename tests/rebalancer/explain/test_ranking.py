"""How changes are ranked without trying, and mended by trying."""

import pytest
from builders import fleet, machine, need, need_row
from tiny_shortages import SETTINGS

from hotpath.standing import standing_of
from models import labels
from models.machine import CapacityType, State
from models.requirement import Operator, Requirement
from planner.deciding import decide_shards
from rebalancer.explain.change import Change, ChangeKind
from rebalancer.explain.counting import Counting, counting_of
from rebalancer.explain.displaced import displacements
from rebalancer.explain.ranking import ranked
from rebalancer.explain.scene import scene_of
from rebalancer.settings import rules_from


def counting(builder, name: str) -> Counting:
    world = builder.build()
    decided = decide_shards(world, SETTINGS, range(len(world.shards)))
    standing = standing_of(world, decided)
    return counting_of(scene_of(standing, (), need_row(world, name), rules_from(SETTINGS)))


NO_SPOT = Requirement(labels.CAPACITY_TYPE, Operator.NOT_IN, ("spot",))
TYPE = Requirement(labels.INSTANCE_TYPE, Operator.IN, ("big",))


def two_ways_out() -> Counting:
    """Give a need that could do without one requirement or without another."""
    return counting(
        fleet()
        .machines(machine("s{}", capacity=CapacityType.SPOT, instance_type="big"), 3)
        .machines(machine("t{}", instance_type="small"), 3)
        .needs(need("a/n", 3, requirements=[NO_SPOT, TYPE])),
        "a/n",
    )


def test_the_lightest_requirement_is_dropped_first():
    drops = [c for c in ranked(two_ways_out()) if c.kind is ChangeKind.WEAKEST_REQUIREMENT]
    assert [str(change) for change in drops] == [
        f"drop {labels.INSTANCE_TYPE} In big",
        f"drop {labels.CAPACITY_TYPE} NotIn spot",
    ]


def test_of_two_lower_needs_alike_the_one_whose_machines_are_cheaper_to_take_gives_up_first():
    """What is lost with a machine is its own penalty where that is the larger."""
    counted = counting(
        fleet()
        .machines(machine("d{}", State.CONFIGURED, cluster="a", penalty=50.0), 2, serves="a/dear")
        .machines(machine("e{}", State.CONFIGURED, cluster="a", penalty=3.0), 2, serves="a/even")
        .needs(need("a/dear", 2, 9), need("a/even", 2, 9), need("a/n", 1, 9)),
        "a/n",
    )
    needs = counted.scene.fleet.needs
    found = [(needs[each.row].id, each.by, each.damage) for each in displacements(counted)]
    assert found == [("even", 1, 3.0), ("dear", 1, 50.0)]


@pytest.mark.parametrize(
    ("state", "given", "added"),
    [(State.IDLE, "a", 1), (State.IDLE, "c", 2), (State.SPECULATIVE, "a", 2)],
)
def test_a_need_that_comes_before_takes_what_is_added_and_it_likes_better(state, given, added):
    """Of idle ones that cost the same it takes the first class; a slot it would rather not buy."""
    counted = counting(
        fleet()
        .machines(machine("given", state, instance_type=given), 1)
        .machines(machine("broken", State.FAILED, instance_type="big"), 1)
        .needs(need("a/before", 1, 9), need("a/n", 1, 1, requirements=[TYPE])),
        "a/n",
    )
    assert ranked(counted)[0].machines_added == added


def test_no_more_of_a_resource_is_given_up_than_it_takes():
    counted = counting(
        fleet()
        .machines(machine("six{}", gpu=6), 1)
        .machines(machine("four{}", gpu=4), 2)
        .machines(machine("two{}", gpu=2), 4)
        .needs(need("a/n", 3, gpu=8)),
        "a/n",
    )
    assert "lower gpu >= 8 to 4" in map(str, ranked(counted))


def test_what_is_too_large_shrinks_and_what_is_too_small_grows():
    """A planner that wants 5, whatever counting says, gets 5 whether 12 or 3 were counted."""
    for counted in (12, 3):
        builder = fleet().machines(machine("m"), 1).needs(need("a/n", counted + 1))

        def lacks(change: Change) -> int:
            return max(0, 5 - change.machines_added)

        [change] = ranked(counting(builder, "a/n"), lacks)
        assert (change.machines_added, change.is_tried) == (5, True)


def test_what_never_serves_is_left_out_and_time_that_is_up_leaves_the_rest_untried():
    assert ranked(two_ways_out(), lambda _: 1) == ()
    left = ranked(two_ways_out(), lambda _: None)
    assert left
    assert not any(change.is_tried for change in left)
