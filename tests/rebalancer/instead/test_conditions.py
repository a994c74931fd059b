"""What conditions ask for, in worlds by hand."""

from dataclasses import replace

import numpy as np
import pytest
from worlds import RACK, World

from rebalancer.instead.case import best
from rebalancer.instead.condition import Condition
from rebalancer.instead.forbid import forbid, moved, without_unit
from rebalancer.instead.force import demand_of, force
from tests.rebalancer.instead.asked import Asked


def world(count: int, **given: object) -> World:
    """Give a world in which a need of s0 lacks so many and s1 has what there is."""
    return World().shard("s0", "a").shard("s1", "b").need("a/n", count, 9, **given)


def taken(asked: Asked, machines: list[int]) -> set[str]:
    """Give the machines that the need has where it is forced to have those."""
    case = asked.case(machines)
    found = best(case, force(case.draft, 0, asked.mask(machines)))
    assert found.proven
    plan = asked.assignment(case.draft, found.counts)
    return {str(asked.standing.fleet.machines.ids[m]) for m, n in enumerate(plan) if n == 0}


def test_a_move_of_several_machines_is_not_made_at_all():
    asked = Asked(1, world(3).machines("m", 5, shard="s1"))
    case = asked.case([])
    [move] = [m for m in asked.plan.moves if len(m.machines) == 3]
    condition = forbid(case.draft, case.plan, asked.plan, move)
    assert (condition.bound, condition.is_least) == (0, False)
    assert int(best(case, condition).counts.sum()) == 0


def test_of_moves_on_one_lane_the_others_stay():
    """Drains of a shard come one a window, each a move of its own."""
    busy = world(2).need("b/v", 2, 1)
    asked = Asked(1, busy.running("m", 2, "b/v", shard="s1"))
    assert [len(move.machines) for move in asked.plan.moves] == [1, 1]
    case = asked.case([])
    for move in asked.plan.moves:
        condition = forbid(case.draft, case.plan, asked.plan, move)
        assert condition.bound == 1
        assert int(best(case, condition).counts.sum()) == 1


def test_a_gang_leaves_with_its_whole_unit():
    gang = world(3, same=RACK).machines("m", 2, shard="s1", rack="r0")
    asked = Asked(1, gang.machines("k", 1, shard="s1", rack="r0", instance_type="other"))
    case = asked.case([])
    assert len(asked.plan.moves) == 2
    for move in asked.plan.moves:
        assert int(moved(case.draft, asked.plan, move).sum()) == len(move.machines)
        assert not without_unit(case.draft, case.plan, asked.plan, move).any()


def test_a_gang_has_all_it_lacks_from_what_is_marked_but_for_a_single_machine():
    gang = world(2, same=RACK).machines("q", 2, shard="s1", rack="r0")
    asked = Asked(1, gang.machines("p", 2, shard="s1", rack="r0", instance_type="slow"))
    ids = asked.standing.fleet.machines.ids.tolist()
    slow = [ids.index("p0"), ids.index("p1")]
    assert taken(asked, slow) == {"p0", "p1"}
    assert "p0" in taken(asked, slow[:1])
    assert len(taken(asked, slow[:1])) == 2


def test_a_wholly_free_rack_that_is_asked_about_is_counted_as_it_is():
    """Two machines of one rack, of which one is forced: the other is not left over."""
    racks = world(2)
    for rack in ("r0", "r1", "r2"):
        racks.machines(f"{rack}-", 2, shard="s1", rack=rack)
    asked = Asked(1, racks)
    assert len(asked.snapshot.supply) == 1
    row = asked.standing.fleet.machines.ids.tolist().index("r1-1")
    assert taken(asked, [row]) == {"r1-0", "r1-1"}


def test_a_gang_that_only_may_move_lacks_nothing():
    asked = Asked(1, world(1).machines("m", shard="s1"))
    draft = asked.case([]).draft
    assert demand_of(draft, 0) == 0
    demand = asked.snapshot.demand
    moving = replace(demand, migrates=np.ones(1, dtype=np.bool_))
    snapshot = replace(draft.snapshot, demand=moving)
    assert demand_of(replace(draft, snapshot=snapshot), 0) is None
    assert demand_of(draft, 7) is None


@pytest.mark.parametrize("is_least", [True, False])
def test_whatever_does_not_meet_a_condition_meets_its_opposite(is_least: bool):
    asked = Asked(1, world(4).machines("m", 4, shard="s1"))
    draft = asked.case([]).draft
    for bound in (1, 2, 3):
        condition = Condition(np.array([0]), bound, is_least)
        for machines in range(5):
            counts = np.array([machines])
            assert condition.holds(counts) != condition.opposite.holds(counts)
            misses = condition.step(draft).expression.value(counts)
            assert (misses == 0) == condition.holds(counts)
            assert misses == max(0, (bound - machines) * (1 if is_least else -1))
