"""Slots become homes: exactly those that fit, and shared as well as can be."""

from itertools import product

import numpy as np
import pytest

from rebalancer.problems.packing.slots import matched, peeled


def ints(values):
    return np.array(values, dtype=np.int64)


def has_a_way(free, slots):
    """Try every rack for every slot (tail, head)."""
    for choice in product(range(len(free)), repeat=len(slots)):
        places = [
            (rack, at) for rack, (a, b) in zip(choice, slots, strict=True) for at in range(a, b)
        ]
        fits = all(free[rack] >= b for rack, (_, b) in zip(choice, slots, strict=True))
        if fits and len(set(places)) == len(places):
            return True
    return False


def test_slots_are_peeled_wherever_there_is_a_way():
    ways = 0
    for seed in range(400):
        chance = np.random.default_rng(seed)
        free = chance.integers(0, 8, chance.integers(1, 4))
        tail = chance.integers(0, 5, chance.integers(0, 5))
        size = chance.integers(1, 5, len(tail))
        found = peeled(free, tail, size, np.ones(len(tail), dtype=np.int64))
        slots = list(zip(tail.tolist(), (tail + size).tolist(), strict=True))
        assert (found is not None) == has_a_way(free.tolist(), slots)
        if found is not None:
            ways += bool(slots)
            assert sorted(length for length, _ in found) == sorted(size.tolist())
            used = np.zeros(len(free), dtype=np.int64)
            for length, rack in found:
                used[rack] += length
            assert (used <= free).all()
    assert ways > 80


def test_the_largest_racks_are_left_alone():
    found = peeled(ints([9, 4, 4, 9]), ints([0, 2]), ints([2, 2]), ints([1, 1]))
    assert {rack for _, rack in found} <= {1, 2}
    assert len({rack for _, rack in found}) == 1


def test_racks_to_leave_alone_are_left_alone():
    alone = np.array([False, True])
    tail, size = ints([0]), ints([3])
    assert peeled(ints([5, 4]), tail, size, ints([1]), alone) == [(3, 0)]
    assert peeled(ints([5, 4]), tail, size, ints([2]), alone) is None
    assert sorted(peeled(ints([5, 4]), tail, size, ints([2]))) == [(3, 0), (3, 1)]


@pytest.mark.parametrize("count", [0, 3])
def test_a_slot_beyond_every_rack(count):
    assert (peeled(ints([5, 4]), ints([3]), ints([3]), ints([count])) is None) == (count > 0)


def most_first(wants, slots):
    """Try every share; give the most gangs of the first class, of the second, and so on."""
    best = ()
    kinds = sorted(slots)
    shares = [
        [
            share
            for share in product(*(range(count + 1 if k in types else 1) for k in kinds))
            if sum(share) <= count
        ]
        for count, types in wants
    ]
    for choice in product(*shares):
        if all(sum(s[n] for s in choice) <= slots[k] for n, k in enumerate(kinds)):
            best = max(best, tuple(sum(share) for share in choice))
    return best


def test_slots_are_shared_first_come_most_served():
    contested = 0
    for seed in range(300):
        chance = np.random.default_rng(seed)
        slots = {int(k): int(chance.integers(0, 4)) for k in range(3)}
        wants = [
            (int(chance.integers(1, 4)), np.flatnonzero(chance.random(3) < 0.6).tolist())
            for _ in range(int(chance.integers(1, 4)))
        ]
        shares = matched(wants, slots)
        for (count, types), share in zip(wants, shares, strict=True):
            assert sum(share.values()) <= count
            assert set(share) <= set(types)
            assert min(share.values(), default=0) >= 0
        for kind in slots:
            assert sum(share.get(kind, 0) for share in shares) <= slots[kind]
        got = tuple(sum(share.values()) for share in shares)
        assert got == most_first(wants, slots)
        contested += got != tuple(count for count, _ in wants)
    assert contested > 100
