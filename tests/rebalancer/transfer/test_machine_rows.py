"""Rows counted and named again, against counting them one by one."""

from collections import Counter

import numpy as np
import pytest

from rebalancer.problems.transfer import machine_rows
from rebalancer.problems.transfer.machine_rows import (
    STAYS,
    MachineRows,
    by_domain,
    count_rows,
    name_machines,
)
from rebalancer.problems.transfer.moves import Moves
from rebalancer.problems.transfer.offers import NOBODY, Tier

SHARDS, THINGS, LEVELS = 3, 4, 2


def random_rows(seed: int, number: int) -> MachineRows:
    chance = np.random.default_rng(seed)
    tier = chance.integers(0, STAYS + 1, number).astype(np.uint8)
    level = np.where(tier >= Tier.DRAIN, chance.integers(-1, LEVELS, number), NOBODY)
    return MachineRows(
        chance.integers(0, SHARDS, number).astype(np.uint8),
        chance.integers(0, THINGS, number).astype(np.uint16),
        tier,
        level.astype(np.int8),
        chance.integers(0, 5, number).astype(np.uint32),
    )


@pytest.fixture(params=[1, 7, 1 << 20], autouse=True)
def chunk(request, monkeypatch):
    monkeypatch.setattr(machine_rows, "CHUNK", request.param)
    monkeypatch.setattr(machine_rows, "SEARCHED", request.param)


def told(rows: MachineRows) -> list[tuple[int, ...]]:
    return [*zip(rows.shard, rows.thing, rows.tier, rows.level, strict=True)]


@pytest.mark.parametrize(("seed", "number"), [(0, 0), (1, 1), (2, 50), (3, 400)])
def test_offers_count_the_rows_that_do_not_stay(seed, number):
    rows = random_rows(seed, number)
    offers = count_rows(rows, SHARDS, THINGS, LEVELS).offers
    counted = [*zip(offers.donor, offers.thing, offers.tier, offers.level, strict=True)]
    expected = Counter(row for row in told(rows) if row[2] != STAYS)
    assert dict(zip(counted, offers.count, strict=True)) == expected
    assert counted == sorted(expected)


@pytest.mark.parametrize("seed", range(5))
def test_the_lowest_rows_are_named_the_first_move_first(seed):
    rows = random_rows(seed, 300)
    counted = count_rows(rows, SHARDS, THINGS, LEVELS)
    offers, chance = counted.offers, np.random.default_rng(seed)
    offer, wanted, count = [], [], []
    for row in range(len(offers)):
        left = int(offers.count[row])
        for receiver in range(int(chance.integers(0, 4))):
            taken = int(chance.integers(0, left + 1))
            if taken:
                offer, wanted, count = [*offer, row], [*wanted, receiver], [*count, taken]
            left -= taken
    moves = Moves(np.array(offer), np.array(wanted), np.array(count))
    named = name_machines(counted, moves)
    everything = told(rows)
    expected = []
    for row in range(len(offers)):
        key = (offers.donor[row], offers.thing[row], offers.tier[row], offers.level[row])
        like = [m for m, other in enumerate(everything) if other == key]
        of_row = [move for move in range(len(moves)) if offer[move] == row]
        want = [move for move in of_row for _ in range(count[move])]
        expected += [*zip(like, want, strict=False)]
    assert [*zip(named.machine, named.move, strict=True)] == expected

    places = by_domain(rows, named)
    by_hand = Counter((move, rows.domain[m]) for m, move in expected)
    assert [*zip(*places, strict=True)] == [(*key, by_hand[key]) for key in sorted(by_hand)]


def test_no_moves_name_nobody():
    counted = count_rows(random_rows(0, 20), SHARDS, THINGS, LEVELS)
    nothing = np.zeros(0, dtype=np.int64)
    named = name_machines(counted, Moves(nothing, nothing.copy(), nothing.copy()))
    assert len(named.machine) == len(named.move) == 0
    assert [len(column) for column in by_domain(random_rows(0, 20), named)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("shard", SHARDS, "shard is outside of 0 .. 2"),
        ("thing", THINGS, "thing is outside of 0 .. 3"),
        ("tier", STAYS + 1, "tier is outside of 0 .. 3"),
        ("level", LEVELS, "level is outside of -1 .. 1"),
        ("level", -2, "level is outside of -1 .. 1"),
    ],
)
def test_numbers_out_of_range_are_refused(name, value, told):
    columns = {
        "shard": np.array([0, 1]),
        "thing": np.array([0, 1]),
        "tier": np.array([2, 2]),
        "level": np.array([0, -1]),
        "domain": np.array([0, 0]),
    }
    columns[name][1] = value
    with pytest.raises(ValueError, match=told):
        count_rows(MachineRows(**columns), SHARDS, THINGS, LEVELS)


def test_work_on_what_is_free_is_refused():
    one = np.array([0])
    rows = MachineRows(one, one.copy(), one.copy(), one.copy(), one.copy())
    with pytest.raises(ValueError, match="work runs on a machine that is idle"):
        count_rows(rows, 1, 1, 1)


def test_cells_beyond_31_bits_are_refused():
    with pytest.raises(ValueError, match="cells are more than 31 bits"):
        count_rows(random_rows(0, 3), 2**16, 2**13, 2)


def test_columns_of_another_length_are_refused():
    one, two = np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64)
    with pytest.raises(ValueError, match="one length for all"):
        MachineRows(two, one, one.copy(), one.copy(), one.copy())
