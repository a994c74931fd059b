"""Moves by hand: who gives, in which shares, and what a donor keeps."""

from dataclasses import replace

import numpy as np

from rebalancer.problems.transfer.answer import transfer
from rebalancer.problems.transfer.entry import entry_levels
from rebalancer.problems.transfer.exchange import Costs, Exchange, Wanted, effective_costs
from rebalancer.problems.transfer.offers import NOBODY, Offers, Tier

LOW, MIDDLE, HIGH = 0, 1, 2


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def question(offers: list[tuple[int, ...]], wanted: list[tuple[int, ...]]) -> Exchange:
    """Ask for one thing, by (donor, tier, level, count) and (receiver, level, short)."""
    donor, tier, level, count = ints(*sum(offers, ())).reshape(-1, 4).T.copy()
    receiver, wants, short = ints(*sum(wanted, ())).reshape(-1, 3).T.copy()
    nothing = np.zeros(len(short), dtype=np.int64)
    return Exchange(
        priorities=ints(0, 100_000, 250_000),
        eligible=np.array([[True]]),
        offers=Offers(donor, np.zeros_like(donor), tier, level, count),
        wanted=Wanted(receiver, nothing, wants, np.zeros(len(short)), short),
        costs=effective_costs(np.array([1.0]), np.array([0.0]), 3),
        most_drains=ints(9, 9, 9, 9),
    )


def told(asked: Exchange) -> list[tuple[int, ...]]:
    """Give the moves as (offer, wanted, count)."""
    moves = transfer(asked).moves
    return [*zip(moves.offer.tolist(), moves.wanted.tolist(), moves.count.tolist(), strict=True)]


def idle(donor: int, count: int) -> tuple[int, ...]:
    return (donor, Tier.IDLE, NOBODY, count)


def running(donor: int, level: int, count: int) -> tuple[int, ...]:
    return (donor, Tier.DRAIN, level, count)


def test_free_machines_are_taken_in_proportion_to_what_each_donor_has():
    asked = question([idle(0, 100), idle(1, 50), idle(2, 10)], [(3, HIGH, 80)])
    assert told(asked) == [(0, 0, 50), (1, 0, 25), (2, 0, 5)]


def test_the_odd_machine_comes_from_the_largest_remainder_and_then_from_the_first():
    asked = question([idle(0, 3), idle(1, 3), idle(2, 4)], [(3, HIGH, 5)])
    assert told(asked) == [(0, 0, 2), (1, 0, 1), (2, 0, 2)]


def test_what_may_serve_the_fewest_levels_goes_to_the_highest():
    """Shard 0 keeps its own for the middle level, for which shard 1 has one."""
    asked = question([idle(1, 1), idle(0, 2)], [(0, MIDDLE, 1), (3, HIGH, 2)])
    assert told(asked) == [(0, 0, 1), (1, 1, 2)]


def test_nobody_is_drained_only_for_another_to_stand_in_its_place():
    """At the middle level as many would gain as lose: the machine stays."""
    asked = question([idle(0, 1), running(1, MIDDLE, 1)], [(3, HIGH, 1), (3, MIDDLE, 1)])
    assert told(asked) == [(0, 0, 1)]
    with_more = question([idle(0, 1), running(1, LOW, 1)], [(3, HIGH, 1), (3, MIDDLE, 1)])
    assert sum(count for *_, count in told(with_more)) == 2


def test_a_donor_keeps_what_its_own_could_use_at_that_level_and_below():
    offers = [idle(0, 5), idle(1, 5), running(0, LOW, 5)]
    asked = question(offers, [(0, MIDDLE, 1), (3, LOW, 9), (3, HIGH, 1)])
    assert entry_levels(asked).tolist() == [HIGH, LOW, HIGH]
    served = replace(asked, wanted=replace(asked.wanted, short=ints(0, 9, 1)))
    assert entry_levels(served).tolist() == [LOW, LOW, MIDDLE]
    told_to = replace(served, kept=ints(0, HIGH + 1, 0, 0)[:, None])
    assert entry_levels(told_to).tolist() == [LOW, HIGH + 1, MIDDLE]


def test_the_gap_is_the_least_distance_and_one_at_least():
    asked = question([running(0, LOW, 1), running(0, MIDDLE, 1), running(0, HIGH, 1)], [])
    for gap, entry in ((0, [1, 2, 3]), (100_000, [1, 2, 3]), (100_001, [2, 2, 3]),
                       (150_001, [2, 3, 3]), (250_001, [3, 3, 3])):  # fmt: skip
        assert entry_levels(replace(asked, min_gap=gap)).tolist() == entry


def test_what_is_in_excess_loses_nothing_and_may_serve_anybody():
    excess = (0, int(Tier.DRAIN), NOBODY, 2)
    asked = question([excess, running(1, LOW, 2)], [(3, MIDDLE, 2)])
    assert told(asked) == [(0, 0, 2)]


def test_rows_of_one_group_are_served_in_their_order():
    asked = question([idle(0, 5)], [(3, HIGH, 3), (2, HIGH, 3), (1, HIGH, 3)])
    assert told(asked) == [(0, 0, 3), (0, 1, 2)]


def test_costs_of_any_size_are_compared():
    """A cheap and a dear machine, and one that only a risk makes dear beyond all measure."""
    asked = question([idle(0, 1), idle(1, 1), running(2, LOW, 1)], [(3, HIGH, 1)])
    offers = replace(asked.offers, thing=ints(0, 1, 0))
    for price, risk, best in ((1e15, 0.0, [(1, 0, 1)]), (1.0, 1.0, [(0, 0, 1)])):
        take = np.tile([price, 2.0], (3, 1))
        costs = Costs(take, np.zeros(4), np.array([0.0, risk]))
        dear = replace(
            asked,
            offers=offers,
            eligible=np.array([[True, True]]),
            costs=costs,
            wanted=replace(asked.wanted, penalty_usd=np.array([4e15])),
        )
        answer = transfer(dear)
        assert told(dear) == best
        assert answer.is_proven
        assert answer.bound_usd is not None
        assert answer.bound_usd <= answer.tally.cost_usd


def test_limits_of_any_size_are_none():
    huge = 2**63 - 1
    asked = question(
        [running(0, LOW, 3), running(1, LOW, 2**39)], [(3, HIGH, huge), (2, HIGH, huge)]
    )
    limits = {"most_drains": ints(*[huge] * 4), "most_moves": 2**80}
    answer = transfer(replace(asked, **limits))
    assert answer.is_proven
    assert answer.tally.drained == 2**39 + 3
    few = question([running(0, LOW, 3), (1, int(Tier.DRAIN), NOBODY, 1)], [(3, HIGH, huge)])
    uneven = Costs(np.full((3, 1), 1 / 3), np.array([1 / 7, 0.0, 0.0, 0.0]), np.zeros(1))
    answer = transfer(replace(few, costs=uneven, **limits))
    assert answer.bound_usd is not None
    assert 0.99 * answer.tally.cost_usd < answer.bound_usd < answer.tally.cost_usd


def test_nobody_has_anything_or_wants_anything():
    assert told(question([], [(1, LOW, 2)])) == []
    assert told(question([idle(0, 5)], [])) == []
    assert told(question([], [])) == []
    assert transfer(question([], [])).gap == 0.0
