"""What is kept of bounds when something better is found, and what is never taken."""

from questions import UNLIMITED, ints

from rebalancer.draft import Cap, Shape
from rebalancer.objective import Step
from rebalancer.question import Found, Question
from rebalancer.search.best import Best
from rebalancer.search.door import _adopt
from rebalancer.terms import Expression


def best(told: list[Found] | None = None) -> Best:
    """Ask for three steps over three lanes: lane n counts in step n."""
    steps = tuple(
        Step(None, Expression(ints(*(int(n == m) for m in range(3)))), -9) for n in range(3)
    )
    shape = Shape(ints(9, 9, 9), (Cap(ints(0, 1, 2), 25),))
    question = Question(shape, steps, (steps[2].expression,), ints(5, 5, 5), UNLIMITED)
    return Best(question, None if told is None else told.append)


def test_bounds_beside_values_that_only_became_less_are_kept():
    found = best()
    for number, bound in enumerate((4, 3, 2)):
        found.prove(number, bound)
    assert found.take(ints(5, 4, 9))
    # The last was bounded among plans with no more than 5 in the second step.
    assert found.bounds == [4, 3, 2]
    assert found.take(ints(4, 9, 9))
    assert found.bounds == [4, 3, -9]
    assert found.take(ints(4, 8, 9))
    assert found.bounds == [4, 3, -9]


def test_bounds_of_singles_go_with_the_steps_they_stand_beside():
    found = best()
    found.singles = (1,)
    assert found.take(ints(5, 5, 4))
    assert found.singles == (1,)
    assert found.take(ints(4, 6, 4))
    assert found.singles == (None,)


def test_only_what_is_legal_and_better_is_taken():
    found = best()
    assert not found.take(ints(0, 0, 10))
    assert not found.take(ints(-1, 0, 0))
    assert not found.answered
    for counts in (ints(5, 5, 5), ints(5, 5, 6), ints(6, 0, 0)):
        assert not found.take(counts)
        assert found.answered
    assert found.counts.tolist() == [5, 5, 5]


def test_a_bound_that_the_counts_refute_is_none():
    told: list[Found] = []
    found = best(told)
    found.prove(0, 6)
    found.prove(1, 5)
    found.prove(1, 2)
    assert found.bounds == [-9, 5, -9]
    found.tell()
    assert told[0].bounds == (-9, 5, -9)
    assert not told[0].proven
    for number in range(3):
        found.prove(number, 5)
    assert found.is_proven
    assert found.found().answered


def test_a_bound_found_beside_other_values_is_not_adopted():
    """With fewer limits the first step gets to 4, and the second beside that to no less than 5."""
    found, loose = best(), best()
    loose.values, loose.bounds = (4, 9, 20), [4, 5, -9]
    # More than a limit of the whole allows, so only what is proven could be adopted.
    loose.counts = ints(4, 9, 20)
    _adopt(found, loose)
    assert found.values == (5, 5, 5)
    assert found.bounds == [4, -9, -9]
