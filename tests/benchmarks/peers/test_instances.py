"""What is written for the peers says the same as the question it was written from."""

import numpy as np
import pytest

from benchmarks.peers import ours
from benchmarks.peers.instances import INSTANCES, packing_of, victims_of
from benchmarks.peers.judge import worth
from benchmarks.peers.problems import from_json, to_json
from models.outcome import Outcome
from models.rules import Goal
from planner.bench.rebalancing.victims import victims_standing
from rebalancer.limits import Limits
from rebalancer.problems.packing.columns import RACK, SPINE, Gangs, Racks
from rebalancer.problems.packing.hall import Hall
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve


@pytest.mark.parametrize("seed", range(3))
def test_the_fleet_and_what_is_written_of_it_have_the_same_optimum(seed):
    standing = victims_standing(40, seed)
    problem = victims_of(standing)
    assert sum(problem.row_count) == np.count_nonzero(standing.free | standing.victim)
    plan = solve(snapshot_of(standing), {Goal.PREEMPTION_DAMAGE: 1.0}, Limits(None))
    answer = ours.answer(problem, 30.0)
    found = worth(problem, answer.triples)
    assert plan.outcome is Outcome.OPTIMAL
    assert answer.bounds == tuple(found.values())
    assert found["short at level 0"] == 0
    assert found["drained"] == sum(lost.count for lost in plan.displaced)
    assert found["damage USD"] == plan.goals[Goal.PREEMPTION_DAMAGE].after


def test_a_packing_is_written_by_classes_and_only_where_gangs_ask_for_racks():
    def question(level):
        racks = Racks(*(np.array(c) for c in ([0, 1], [0, 1], [0, 0], [4, 5])))
        columns = ([2, 3, 2, 2], [9, 1, 9, 1], [0, 1, 0, 0], [RACK, RACK, RACK, level])
        eligible = np.array([[True, False], [True, True]])
        return Hall(racks, Gangs(*(np.array(c) for c in columns)), eligible)

    written = packing_of(question(RACK))
    assert (written.rack_kind, written.rack_free) == ([0, 1], [4, 5])
    classes = zip(
        written.gang_size,
        written.gang_level,
        written.gang_count,
        written.gang_kinds,
        strict=True,
    )
    assert sorted(classes) == [(2, 0, 2, [0]), (2, 1, 1, [0]), (3, 1, 1, [0, 1])]
    with pytest.raises(ValueError, match="only gangs that are bound to racks"):
        packing_of(question(SPINE))


@pytest.mark.parametrize("name", ["packing-small", "transfer-small", "victims-many"])
def test_named_instances_are_the_same_every_time(name):
    problem = INSTANCES[name]()
    assert INSTANCES[name]() == problem
    assert from_json(to_json(problem)) == problem
