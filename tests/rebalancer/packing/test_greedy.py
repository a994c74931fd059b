"""Best fit goes by priority and size, and takes the place that leaves least."""

from fractions import Fraction

import numpy as np

from rebalancer.problems.packing.columns import RACK, SPINE
from rebalancer.problems.packing.greedy import best_fit, wanted_by_type
from rebalancer.problems.packing.worth import NOWHERE, holds, left_in, nowhere


def homes(question):
    return best_fit(question, nowhere(question)).tolist()


def wants_of(question, kind):
    """Give size and types to choose from of the gangs that want a type and have room somewhere."""
    racks, gangs = question.racks, question.gangs
    for size, types, level in zip(gangs.size, gangs.types, gangs.level, strict=True):
        allowed = np.flatnonzero(question.eligible[types])
        rooms = [
            racks.free[(racks.type == t) & ((racks.spine == spine) | (level == RACK))]
            for t in allowed
            for spine in set(racks.spine.tolist())
        ]
        most = max(
            (free.max(initial=0) if level == RACK else free.sum() for free in rooms), default=0
        )
        if kind in allowed and size <= most:
            yield int(size), len(allowed)


def plain_best_fit(question):
    """Look at every place for every gang."""
    gangs, home = question.gangs, nowhere(question)
    choices = [int(question.eligible[types].sum()) for types in gangs.types]
    turns = sorted(
        range(len(gangs)),
        key=lambda g: (
            -gangs.priority[g],
            -gangs.size[g],
            gangs.level[g],
            choices[g],
            gangs.types[g],
            g,
        ),
    )
    wanted = [
        sum((Fraction(int(size), choice) for size, choice in wants_of(question, kind)), Fraction())
        / max(1, int(question.racks.free[question.racks.type == kind].sum()))
        for kind in range(question.eligible.shape[1])
    ]
    for gang in turns:
        rack_left, pool_left = left_in(question, home)
        allowed = question.eligible[gangs.types[gang]]
        if gangs.level[gang] == RACK:
            room = [
                (rack_left[row], wanted[question.racks.type[row]], question.pool[row], row)
                for row in range(len(rack_left))
                if allowed[question.racks.type[row]]
                and min(rack_left[row], pool_left[question.pool[row]]) >= gangs.size[gang]
            ]
        else:
            room = [
                (pool_left[pool], wanted[question.pool_type[pool]], pool)
                for pool in range(len(pool_left))
                if allowed[question.pool_type[pool]] and pool_left[pool] >= gangs.size[gang]
            ]
        home[gang] = min(room)[-1] if room else NOWHERE
    return home


def test_it_is_what_a_plain_search_does(random_question):
    served = 0
    for seed in range(300):
        question = random_question(seed, spines=seed % 2 == 0, most=8)
        home = best_fit(question, nowhere(question))
        assert home.tolist() == plain_best_fit(question).tolist()
        assert holds(question, home)
        served += (home >= 0).sum()
    assert served > 500


def test_it_is_what_a_plain_search_does_where_many_are_alike_and_spines_run_dry(question_of):
    """Racks of drained spines wait for smaller gangs, of the next priority too."""
    chance = np.random.default_rng(3)
    for _ in range(60):
        racks = [
            (chance.integers(2), number, number // 3, chance.integers(0, 7)) for number in range(12)
        ]
        gangs = [
            (chance.integers(1, 6), chance.integers(3), chance.integers(2), chance.integers(2))
            for _ in range(40)
        ]
        question = question_of(racks, gangs, [[True, True], [False, True]])
        assert homes(question) == plain_best_fit(question).tolist()


def test_higher_priority_first_then_size_then_row(question_of):
    gangs = [(2, 1, 0, RACK), (3, 1, 0, RACK), (3, 1, 0, RACK), (1, 5, 0, RACK)]
    assert homes(question_of([(0, 0, 0, 5)], gangs)) == [NOWHERE, 0, NOWHERE, 0]


def test_who_has_a_home_keeps_it(question_of):
    question = question_of([(0, 0, 0, 4), (0, 1, 0, 2)], [(2, 1, 0, RACK), (4, 9, 0, RACK)])
    assert best_fit(question, np.array([0, NOWHERE])).tolist() == [0, NOWHERE]


def test_a_rack_is_full_once_its_spine_is_drawn_empty(question_of):
    racks = [(0, 0, 0, 4), (0, 1, 0, 4), (0, 2, 1, 5)]
    gangs = [(6, 9, 0, SPINE), (3, 1, 0, RACK)]
    assert homes(question_of(racks, gangs)) == [0, 2]


def test_ties_go_to_the_type_that_is_least_wanted(question_of):
    racks = [(0, 0, 0, 2), (1, 1, 0, 2)]
    gangs = [(2, 5, 0, RACK), (2, 1, 1, RACK)]
    eligible = [[True, True], [True, False]]
    assert homes(question_of(racks, gangs, eligible)) == [1, 0]


def test_of_one_size_who_has_fewer_types_to_choose_from_goes_first(question_of):
    racks = [(0, 0, 0, 2), (1, 1, 0, 1)]
    gangs = [(2, 5, 0, RACK), (2, 5, 1, RACK)]
    eligible = [[True, True], [True, False]]
    assert homes(question_of(racks, gangs, eligible)) == [NOWHERE, 0]


def test_what_is_wanted_is_counted_exactly(question_of):
    """In floating point a tenth and two tenths are more than three tenths."""
    racks = [(n, n, 0, free) for n, free in enumerate([3] * 9 + [1, 0])]
    first, second = [n != 1 for n in range(11)], [n != 0 for n in range(11)]
    gangs = [(1, 0, 0, RACK), (2, 0, 0, RACK), (3, 0, 1, RACK), (3, 0, 2, RACK), (4, 0, 0, RACK)]
    wanted = wanted_by_type(question_of(racks, gangs, [first, second, [n == 2 for n in range(11)]]))
    assert (
        wanted
        == [Fraction(1, 10)] * 2 + [Fraction(6, 5)] + [Fraction(1, 5)] * 6 + [Fraction(3, 5)] * 2
    )
