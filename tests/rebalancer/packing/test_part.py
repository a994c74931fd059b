"""A part is a question of its own that adds up with what stands elsewhere."""

import numpy as np

from rebalancer.problems.packing.blocks import blocks
from rebalancer.problems.packing.greedy import best_fit
from rebalancer.problems.packing.model import Aim
from rebalancer.problems.packing.part import Part, parts
from rebalancer.problems.packing.worth import holds, key, nowhere, served, whole


def by_priority(question, home):
    return dict(zip(question.priorities.tolist(), served(question, home), strict=True))


def test_parts_add_up_with_the_rest(random_question):
    held_more = tried = 0
    for seed in range(150):
        question = random_question(seed, spines=seed % 2 == 0, most=8)
        if not len(question.gangs):
            continue
        chance = np.random.default_rng(seed)
        home = best_fit(question, nowhere(question))
        values = key(question, home)
        every = blocks(question, by_pool=True)
        chosen = [block for block in every if chance.random() < 0.6] or every[:1]
        for goal in range(len(values)):
            part = Part(question, home, chosen, Aim(values[:goal], 1000))
            bare = part.put_back(nowhere(part.question))
            filled = best_fit(part.question, nowhere(part.question))
            again = part.put_back(filled)
            assert holds(question, bare)
            assert holds(question, again)
            outside, inside = by_priority(question, bare), by_priority(part.question, filled)
            total = by_priority(question, again)
            assert total == {p: n + inside.get(p, 0) for p, n in outside.items()}
            # Lower priorities are out, until they are filled in again.
            lowest = question.priorities[min(goal, len(values) - 2)]
            assert all(n == 0 for p, n in total.items() if p < lowest)
            due = [
                values[place] - outside[p]
                for place, p in enumerate(question.priorities[:goal].tolist())
                if p in inside
            ]
            assert list(part.aim.held) == due
            held_more += sum(value > need for value, need in zip(values, due, strict=False))
            if goal < len(values) - 1:
                name = int(question.priorities[goal])
                assert part.aim.most == 1000 - outside[name]
                assert part.is_worth_it == (name in inside)
            else:
                empty = whole(part.question, nowhere(part.question))
                assert part.aim.most == 1000 - (whole(question, bare) - empty)
            tried += part.is_worth_it
    assert held_more > 30
    assert tried > 100


def test_sets_that_a_part_does_not_tell_apart_are_one(question_of):
    racks = [(0, 0, 0, 4), (1, 1, 0, 4), (2, 2, 0, 4)]
    sets = [(True, False, True), (True, False, False), (True, True, False)]
    hopeless = [(5, 0, 0, 0)]
    question = question_of(racks, [(4, 0, n, 0) for n in range(3)] + hopeless, sets)
    every = blocks(question, by_pool=True)
    assert len(Part(question, nowhere(question), every[:1], Aim((), 9)).question.classes) == 1
    assert len(Part(question, nowhere(question), every[:2], Aim((), 9)).question.classes) == 2
    assert len(Part(question, nowhere(question), every, Aim((), 9)).question.classes) == 3


def test_every_place_is_in_every_round_and_neighbours_change():
    assert list(parts(3, 5)) == [[0, 1, 2]]
    rounds = list(parts(7, 2))
    assert len(rounds) == 6 * 4
    for start in range(0, len(rounds), 4):
        assert {place for part in rounds[start : start + 4] for place in part} == set(range(7))
    assert not {frozenset(part) for part in rounds[:4]} & {frozenset(part) for part in rounds[4:8]}
