"""The fleets that transfers are measured on: seeded, and every rule has something to forbid."""

import numpy as np
import pytest

from models.settings import Settings
from planner.bench.instances import Size
from planner.bench.rebalancing.transfer import transfer_samples
from planner.bench.rebalancing.transfer_fleets import (
    SIZES,
    TransferSize,
    counted,
    machine_rows,
    question_of,
)
from planner.bench.run import Run
from rebalancer.problems.transfer.answer import Transfer, transfer
from rebalancer.problems.transfer.entry import kept_below
from rebalancer.problems.transfer.exchange import Exchange
from rebalancer.problems.transfer.offers import Tier

SMALL = SIZES["small"]


@pytest.fixture(scope="module")
def asked() -> Exchange:
    return question_of(SMALL, counted(SMALL, machine_rows(SMALL)))


@pytest.fixture(scope="module")
def answer(asked) -> Transfer:
    return transfer(asked)


def test_the_same_seed_gives_the_same_fleet():
    first, again, other = (machine_rows(SMALL, seed) for seed in (0, 0, 1))
    for name in ("shard", "thing", "tier", "level", "domain"):
        assert (getattr(first, name) == getattr(again, name)).all()
    assert (first.tier != other.tier).any()


def test_columns_are_small_and_shards_of_one_size():
    rows = machine_rows(SMALL)
    bytes_a_row = sum(
        column.itemsize for column in (rows.shard, rows.thing, rows.tier, rows.level, rows.domain)
    )
    assert bytes_a_row <= 10
    assert set(np.bincount(rows.shard)) == {SMALL.machines // SMALL.shards}
    assert np.unique(rows.thing[(rows.shard == 0) & (rows.domain == 0)]).size <= 3


def test_all_tiers_and_levels_are_offered(asked):
    offers = asked.offers
    assert set(offers.tier.tolist()) == set(Tier)
    assert set(offers.level.tolist()) == {-1, 0, 1, 2, 3, 4}
    free = offers.count[offers.tier != Tier.DRAIN].sum()
    assert 0.5 < free / (SMALL.free * SMALL.machines) < 2


def test_the_rules_bind(asked, answer):
    assert answer.is_proven
    assert answer.gap is not None
    assert answer.gap <= 0.001
    drains = asked.offers.tier[answer.moves.offer] == Tier.DRAIN
    donors = asked.offers.donor[answer.moves.offer]
    by_donor = np.bincount(donors[drains], answer.moves.count[drains], SMALL.shards)
    assert (by_donor == asked.most_drains).any()
    assert 0 < kept_below(asked)[asked.offers.donor, asked.offers.thing].mean() < 5


def test_few_shards_are_short_of_much_and_some_of_a_little(asked):
    rows = np.bincount(asked.wanted.receiver, minlength=SMALL.shards)
    assert sorted(rows.tolist()) == [0] * 5 + [5, 5, 50]
    little = np.isin(asked.wanted.receiver, np.flatnonzero(rows == 5))
    assert asked.wanted.level[little].max() < asked.wanted.level.max()


def test_in_a_saturated_fleet_the_low_levels_get_nothing():
    size = TransferSize(20_000, 8, 24, 60, 60, wanted=0.5)
    answer = transfer(question_of(size, counted(size, machine_rows(size))))
    assert answer.is_proven
    assert answer.tally.gained[-1] > 0
    assert answer.tally.gained[0] == 0


def test_every_part_of_a_round_is_measured(monkeypatch):
    monkeypatch.setattr("planner.bench.rebalancing.transfer.SIZES", {"small": SMALL})
    said: list[str] = []
    run = Run(Size(), 1, 0.0, 1, Settings(), said.append)
    samples = {sample.question: sample for sample in transfer_samples(run)}
    assert [*samples] == [
        "count, small", "network, small", "solver, small", "solve, small", "moves, small",
        "ids, small", "domains, small", "transfer, small",
    ]  # fmt: skip
    whole = samples.pop("transfer, small")
    took = {question: sample.timing.median for question, sample in samples.items()}
    after = sum(took.values()) - took["count, small"] - took["solver, small"]
    assert whole.timing.median == pytest.approx(after)
    assert took["solver, small"] < took["solve, small"]
    assert whole.actions is not None
    assert whole.actions > 0
    assert whole.found["proven"] == "8 of 8"
    assert said == ["transfer, small: 40000 machines, 60 shortfalls"]


@pytest.mark.parametrize(("machines", "shards", "things"), [(1, 1, 1), (7, 7, 1), (60, 2, 30)])
def test_the_smallest_fleets_can_be_made(machines, shards, things):
    size = TransferSize(machines, shards, things, 2, 1)
    assert transfer(question_of(size, counted(size, machine_rows(size)))).is_proven
