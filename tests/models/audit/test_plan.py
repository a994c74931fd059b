"""The judge of a whole plan: without an answer nothing moves, and no row is made up."""

from dataclasses import replace

import pytest
from builders import need
from plan_twins import far, moves_of, plan_of, rules, standing_of, world_of

from models.audit import Law
from models.outcome import Outcome
from models.plan import Displaced, Unmet
from models.shortfall import Reason


def test_without_an_answer_nothing_moves_and_the_conflicts_are_named():
    standing = standing_of(world_of([far("m")], [need("a/n")]))
    plan = replace(plan_of(standing, ()), outcome=Outcome.INFEASIBLE, conflicts=("x",))
    assert rules(standing, plan) == set()
    assert rules(standing, replace(plan, conflicts=())) == {Law.NO_MOVES}
    moves = moves_of(standing, "transfer-idle m a/n")
    assert rules(standing, replace(plan, moves=moves)) == {Law.NO_MOVES}


@pytest.mark.parametrize(
    "fields",
    [{"machines": (9,)}, {"need": 9}, {"need": -1}, {"victim": 9}, {"source": 9}, {"target": -1}],
)
def test_moves_of_rows_that_do_not_exist_are_refused(fields):
    standing = standing_of(world_of([far("m")], [need("a/n")]))
    plan = plan_of(standing, moves_of(standing, "transfer-idle m a/n"))
    assert rules(standing, plan) == set()
    moves = (replace(plan.moves[0], **fields),)
    assert rules(standing, replace(plan, moves=moves)) == {Law.MOVE_SHAPE}


def test_numbers_of_rows_that_do_not_exist_are_refused():
    standing = standing_of(world_of([], [need("a/n", 0)]))
    plan = plan_of(standing, ())
    assert rules(standing, plan) == set()
    assert rules(standing, replace(plan, displaced=(Displaced(9, 1),))) == {Law.DISPLACED}
    unmet = (Unmet(9, 1, Reason.CAPACITY_EXHAUSTED),)
    assert rules(standing, replace(plan, unmet=unmet)) == {Law.UNMET}
