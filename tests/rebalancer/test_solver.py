"""What the model allows is what the draft allows, and nothing is taken on trust."""

import numpy as np
import pytest
from worlds import RACK, World, random_world

from models.fleet import Ints
from models.need import Spread
from models.requirement import Operator, Requirement
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from rebalancer.draft import Draft
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.objective import objective_of
from rebalancer.problems.assignment import draft_of
from rebalancer.question import Question
from rebalancer.search import search
from rebalancer.settings import rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solver import Answer, Solver
from rebalancer.terms import Expression

RULES = rules_from(Settings(rebalance=RebalanceSettings(min_gap=2)))


def drafts(seeds: range) -> list[Draft]:
    worlds = [random_world(seed, spread=True) for seed in seeds]
    found = [draft_of(snapshot_of(world.standing(), RULES)) for world in worlds]
    return [draft for draft in found if len(draft.lanes)]


def zeros(draft: Draft) -> Ints:
    return np.zeros(len(draft.lanes), dtype=np.int64)


def test_every_answer_of_the_model_keeps_the_limits_of_the_draft():
    """Most machines, then most by random lanes: answers at the edge of what is allowed."""
    for draft in drafts(range(120)):
        solver = Solver(draft.shape)
        for factors in (np.ones(len(draft.lanes)), np.arange(len(draft.lanes)) % 3):
            expression = Expression(-factors.astype(np.int64))
            answer = solver.minimise(expression, zeros(draft), Limits(None))
            assert answer.counts is not None
            assert draft.holds(answer.counts)
            assert answer.bound == expression.value(answer.counts)


def test_what_is_held_stays():
    for draft in drafts(range(40)):
        solver = Solver(draft.shape)
        machines = Expression(-np.ones(len(draft.lanes), dtype=np.int64))
        most = solver.minimise(machines, zeros(draft), Limits(None))
        assert most.counts is not None
        solver.hold(machines, machines.value(most.counts))
        fewest = solver.minimise(Expression(-machines.per_lane), most.counts, Limits(None))
        assert fewest.counts is not None
        assert fewest.counts.sum() == most.counts.sum()


def test_the_model_knows_racks_that_open_for_others():
    """Without y, which opens r2, x may have three in r1; with it only one."""
    world = World().shard("s0", "a").shard("s1", "b")
    world.machines("o", shard="s0", rack="r1", pinned=True)
    world.machines("i", 3, shard="s1", rack="r1").machines("j", 1, shard="s1", rack="r2")
    world.need("a/x", 3, 5, spread=(Spread(RACK, 1),))
    world.need("a/y", 1, 6, requirements=(Requirement(RACK, Operator.IN, ("r2",)),))
    draft = draft_of(snapshot_of(world.standing()))
    most = Expression(-np.ones(len(draft.lanes), dtype=np.int64))
    answer = Solver(draft.shape).minimise(most, zeros(draft), Limits(None))
    assert answer.counts is not None
    assert answer.counts.sum() == 3
    assert draft.holds(answer.counts)


@pytest.mark.parametrize("counts", [100, -1])
def test_an_answer_that_breaks_a_limit_is_not_taken(monkeypatch: pytest.MonkeyPatch, counts: int):
    world = World().shard("s0", "a").shard("s1", "b").machines("i", 8, shard="s1", rack="r1")
    for id, size in (("x", 6), ("y", 4), ("z", 4)):
        world.need(f"a/{id}", size, 5, same=RACK)
    draft = draft_of(snapshot_of(world.standing()))
    objective = objective_of(draft, DEFAULT_GOALS)

    def lie(*_: object) -> Answer:
        return Answer(np.full(len(draft.lanes), counts, dtype=np.int64), None, 0.0)

    monkeypatch.setattr(Solver, "minimise", lie)
    question = Question(draft.shape, objective.steps, (), zeros(draft), Limits(None))
    found = search(question)
    assert not found.answered
    assert not found.proven
    assert found.counts.tolist() == zeros(draft).tolist()


def test_a_bound_that_a_plan_refutes_is_not_believed(monkeypatch: pytest.MonkeyPatch):
    world = World().shard("s0", "a").shard("s1", "b").machines("i", 8, shard="s1")
    draft = draft_of(snapshot_of(world.need("a/x", 3, 5).standing()))
    objective = objective_of(draft, DEFAULT_GOALS)
    monkeypatch.setattr(Solver, "minimise", lambda *_: Answer(zeros(draft), 10**6, 0.0))
    question = Question(draft.shape, objective.steps, (), zeros(draft), Limits(None))
    found = search(question)
    assert found.answered
    assert not found.proven
    assert found.bounds == tuple(step.least for step in objective.steps)


def test_a_look_up_that_fails_inside_the_solver_is_no_answer(monkeypatch: pytest.MonkeyPatch):
    from ortools.sat.python import cp_model

    def fails(*_: object) -> None:
        raise IndexError("absl::btree_map::at")

    draft = drafts(range(20))[0]
    monkeypatch.setattr(cp_model.CpSolver, "solve", fails)
    answer = Solver(draft.shape).minimise(
        Expression(zeros(draft)), zeros(draft), Limits(None, work=0.5)
    )
    assert (answer.counts, answer.bound, answer.work) == (None, None, 0.5)
