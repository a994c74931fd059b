"""Small questions, and every answer to them."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from rebalancer.problems.packing.columns import RACK, SPINE, Gangs, Racks
from rebalancer.problems.packing.hall import Hall


def question_of(racks, gangs, eligible=((True,),)):
    """Build one from rows (type, domain, spine, free) and (size, priority, types, level)."""
    columns = [np.array(column, dtype=np.int64) for column in zip(*racks, strict=True)]
    wants = [np.array(column, dtype=np.int64) for column in zip(*gangs, strict=True)]
    none = [np.zeros(0, dtype=np.int64)] * 4
    return Hall(Racks(*(columns or none)), Gangs(*(wants or none)), np.array(eligible))


@cache
def random_question(seed, *, spines, most=5):
    """Give a tiny one: up to five racks of up to nine machines, up to five gangs."""
    chance = np.random.default_rng(seed)
    types = int(chance.integers(1, 4))
    count = int(chance.integers(1, most + 1))
    racks = [
        (chance.integers(types), number, number // 2, chance.integers(0, 10))
        for number in range(count)
    ]
    sets = chance.random((3, types)) < 0.6
    gangs = [
        (
            chance.integers(1, 9),
            chance.choice([-5, 0, 700]),
            chance.integers(3),
            SPINE if spines and chance.random() < 0.4 else RACK,
        )
        for _ in range(int(chance.integers(0, most + 1)))
    ]
    return question_of(racks, gangs, sets)


def worth(question, answer):
    """Give what one answer is worth, None if it is not allowed; written without the package."""
    racks, gangs = question.racks, question.gangs
    left = racks.free.tolist()
    pools = {}
    for row in range(len(racks)):
        name = (int(racks.spine[row]), int(racks.type[row]))
        pools.setdefault(name, []).append(row)
    drawn = dict.fromkeys(pools, 0)
    served = {int(p): 0 for p in gangs.priority}
    for gang, place in enumerate(answer):
        if place is None:
            continue
        size, allowed = int(gangs.size[gang]), question.eligible[gangs.types[gang]]
        if not allowed[racks.type[place] if isinstance(place, int) else place[1]]:
            return None
        if isinstance(place, int):
            left[place] -= size
        else:
            drawn[place] += size
        served[int(gangs.priority[gang])] += size
    if min(left, default=0) < 0:
        return None
    spared = 0
    for name, rows in pools.items():
        spare = sum(left[row] for row in rows) - drawn[name]
        if spare < 0:
            return None
        empty = [left[row] for row in rows if left[row] == racks.free[row]]
        sums = [sum(c) for c in product(*((0, n) for n in empty))]
        spared += max(s for s in sums if s <= spare)
    return (*(served[p] for p in sorted(served, reverse=True)), spared)


@cache
def worths(question):
    """Give what each allowed answer is worth."""
    racks, gangs = question.racks, question.gangs
    pools = sorted(set(zip(racks.spine.tolist(), racks.type.tolist(), strict=True)))
    places = [
        [None, *(range(len(racks)) if level == RACK else pools)] for level in gangs.level.tolist()
    ]
    found = (worth(question, answer) for answer in product(*places))
    return [value for value in found if value is not None]


def best_of_all(question):
    """Give the best worth of all answers."""
    return max(worths(question))


@pytest.fixture(name="question_of")
def _question_of():
    return question_of


@pytest.fixture(name="random_question")
def _random_question():
    return random_question


@pytest.fixture(name="best_of_all")
def _best_of_all():
    return best_of_all


@pytest.fixture(name="worth")
def _worth():
    return worth


@pytest.fixture(name="worths")
def _worths():
    return worths
