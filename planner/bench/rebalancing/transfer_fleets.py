"""Seeded fleets of machines in columns, for transfers: many shards of which few are short."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rebalancer.problems.transfer.exchange import Exchange, Wanted, effective_costs
from rebalancer.problems.transfer.machine_rows import STAYS, Counted, MachineRows, count_rows
from rebalancer.problems.transfer.offers import NOBODY, Tier

PRIORITIES = np.array([0, 100_000, 250_000, 500_000, 1_000_000])
THINGS_A_NEED = 36
"""Of 400 classes: what a need names by hand, as in the shards of the hot path's measurements."""

MACHINES_A_BLOCK = 15
"""Of one class, side by side; so many blocks stand in one rack:"""
BLOCKS_A_RACK = 3
STAYING = 0.09
"""Share of what runs that is pinned, draining or cooling."""
SHORT_SHARDS, LITTLE_SHORT_SHARDS = 0.15, 0.25
"""Shares of the shards that lack much, at every level, and a little, at the lower ones."""
LITTLE = 5
"""Shortfalls of a shard that is a little short: so many rules keep what it has."""
DRAIN_SHARE = 20
"""A donor drains a twentieth at most."""
_DRAWS = 256


@dataclass(frozen=True, slots=True)
class TransferSize:
    """How large an instance is.

    Attributes
    ----------
    machines
        Of the fleet; a multiple of the shards.
    things
        Classes of machines; each is in a tenth to half of the shards.
    shortfalls, profiles
        Rows of what is wanted, and how many different lists of classes these ask for.
    wanted
        Machines that are wanted, as a share of the fleet.
    free
        Machines that are idle or speculative, as a share of the fleet.
    """

    machines: int
    shards: int
    things: int
    shortfalls: int
    profiles: int
    wanted: float = 0.081
    free: float = 0.05


SIZES = {
    "small": TransferSize(40_000, 8, 24, 60, 60),
    "profiles-1000": TransferSize(100_000_000, 200, 400, 20_000, 1_000),
    "distinct-20000": TransferSize(100_000_000, 200, 400, 20_000, 20_000),
    "saturated": TransferSize(100_000_000, 200, 400, 20_000, 20_000, wanted=0.5),
}
"""By name; in the last more is wanted than anybody can give."""


def machine_rows(size: TransferSize, seed: int = 0) -> MachineRows:
    """Give the machines of a fleet, shard after shard, in racks of three classes each.

    What is free differs from class to class, the levels of what runs from shard to shard.
    """
    chance = np.random.default_rng(seed)
    table = _kind_table(size, chance)
    tiers = np.minimum(np.arange(len(PRIORITIES) + 4), Tier.DRAIN).astype(np.uint8)
    tiers[-1] = STAYS
    levels = (np.arange(len(tiers)) - Tier.DRAIN + NOBODY).clip(NOBODY).astype(np.int8)
    levels[-1] = NOBODY
    each = size.machines // size.shards
    block = np.arange(each) // MACHINES_A_BLOCK
    columns: list[list[NDArray[np.generic]]] = [[], [], []]
    for sold, kinds in zip(_sold(size, chance), table, strict=True):
        thing = sold[block % len(sold)]
        kind = kinds[thing, chance.integers(0, _DRAWS, each, dtype=np.uint8)]
        for column, part in zip(columns, (thing, tiers[kind], levels[kind]), strict=True):
            column.append(part)
    things, tier, level = (np.concatenate(column) for column in columns)
    shard = np.repeat(np.arange(size.shards, dtype=np.uint16), each)
    racks = (block // BLOCKS_A_RACK).astype(np.uint32)
    return MachineRows(shard, things, tier, level, np.tile(racks, size.shards))


def _sold(size: TransferSize, chance: np.random.Generator) -> list[NDArray[np.uint16]]:
    """Give the classes of each shard, in its own order."""
    has = np.zeros((size.shards, size.things), dtype=np.bool_)
    has[np.arange(size.shards), np.arange(size.shards) % size.things] = True
    for thing in range(size.things):
        number = int(chance.integers(size.shards // 10, size.shards // 2 + 1))
        has[chance.choice(size.shards, number, replace=False), thing] = True
    return [chance.permutation(np.flatnonzero(row)).astype(np.uint16) for row in has]


def _kind_table(size: TransferSize, chance: np.random.Generator) -> NDArray[np.uint8]:
    """Give by shard, class and draw what a machine does: the tiers, the levels, staying."""
    free = chance.uniform(0, 2 * size.free, size.things)
    new = np.where(chance.random(size.things) < 0.5, 0.8, 0.0)
    busy = chance.dirichlet([4, 3, 2, 2, 1], size.shards)
    share = np.empty((size.shards, size.things, len(PRIORITIES) + 4))
    share[:, :, 0] = free * (1 - new)
    share[:, :, 1] = free * new
    share[:, :, 2] = 1 / _DRAWS * (chance.random(size.things) < 0.5)
    left = 1 - share[:, :, :3].sum(axis=2)
    share[:, :, 3:-1] = left[:, :, None] * (1 - STAYING) * busy[:, None, :]
    share[:, :, -1] = left * STAYING
    ends = np.rint(np.cumsum(share, axis=2) * _DRAWS).astype(np.int64)
    draws = np.arange(_DRAWS)
    table = np.zeros((*ends.shape[:2], _DRAWS), dtype=np.uint8)
    for kind in range(ends.shape[2] - 1):
        table += draws >= ends[:, :, kind, None]
    return table


def counted(size: TransferSize, rows: MachineRows) -> Counted:
    """Count the rows into offers."""
    return count_rows(rows, size.shards, size.things, len(PRIORITIES))


def question_of(size: TransferSize, counts: Counted, seed: int = 0) -> Exchange:
    """Ask for the machines that some shards are short of.

    Their sizes are like those of a queue, exponential; a quarter of the classes may be interrupted.
    """
    chance = np.random.default_rng([seed, 1])
    order = chance.permutation(size.shards)
    much = max(1, int(size.shards * SHORT_SHARDS))
    little = order[much : much + int(size.shards * LITTLE_SHORT_SHARDS)]
    few = min(LITTLE * len(little), size.shortfalls // 4)
    rest = size.shortfalls - few
    eligible = chance.random((size.profiles, size.things)) < THINGS_A_NEED / size.things
    eligible[np.arange(size.profiles), chance.integers(0, size.things, size.profiles)] = True
    short = chance.exponential(1.0, size.shortfalls)
    short *= size.wanted * size.machines / short.sum()
    level = np.concatenate([chance.integers(0, 3, few), chance.integers(0, len(PRIORITIES), rest)])
    receiver = np.concatenate(
        [little[np.arange(few) % max(len(little), 1)], order[chance.integers(0, much, rest)]]
    )
    price = np.round(chance.uniform(0.1, 30.0, size.things), 4)
    probability = np.where(chance.random(size.things) < 0.25, 0.001, 0.0)
    return Exchange(
        priorities=PRIORITIES,
        eligible=eligible,
        offers=counts.offers,
        wanted=Wanted(
            receiver=receiver,
            profile=np.arange(size.shortfalls) % size.profiles,
            level=level,
            penalty_usd=chance.choice([0.0, 10.0, 100.0, 1000.0], size.shortfalls),
            short=np.maximum(1, short.astype(np.int64)),
        ),
        costs=effective_costs(price, probability, len(PRIORITIES)),
        most_drains=np.full(size.shards, size.machines // size.shards // DRAIN_SHARE),
    )
