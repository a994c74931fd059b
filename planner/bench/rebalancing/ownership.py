"""Who owns which rack: the first distribution, a new shard, a site that closes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from models.fleet import Ints, Mask
from planner.bench.run import Run
from planner.bench.sample import Sample, measure
from rebalancer.problems.ownership.balance import balanced
from rebalancer.problems.ownership.dealing import holdings_of, owners_after
from rebalancer.problems.ownership.first import first
from rebalancer.problems.ownership.tree import Tree, chained

SITE_MACHINES = 10_000
"""That stand side by side and close together."""
RUNS = 10
"""A run takes seconds: so many times fewer than of other questions."""


@dataclass(frozen=True, slots=True)
class OwnershipSize:
    """How large an instance is: racks, shards, classes of machines, and sizes of their racks."""

    racks: int
    shards: int
    classes: int
    sizes: int = 1


SIZES = {
    "small": OwnershipSize(2_500, 5, 12, 2),
    "fleet": OwnershipSize(2_500_000, 200, 400),
    "sizes": OwnershipSize(2_500_000, 200, 40, 10),
}
"""By name; in the last the racks of a class come in ten sizes, each a group of its own."""


@dataclass(frozen=True, eq=False, slots=True)
class RackRow:
    """Racks in the order in which they stand.

    ``group``, ``(D,)``, says which are alike; ``kind`` and ``machines``, ``(G,)``, the class and
    the size of each group.
    """

    group: Ints
    kind: Ints
    machines: Ints

    def tree(self) -> Tree:
        """Give what is counted together."""
        return chained(self.kind, self.machines)

    def site(self) -> Mask:
        """Mark the racks, ``(D,)``, of the site that closes: in the middle of the row."""
        machines = np.cumsum(self.machines[self.group])
        start = machines[len(machines) // 2]
        return np.asarray((machines > start) & (machines <= start + SITE_MACHINES))


def racks(size: OwnershipSize, seed: int = 0) -> RackRow:
    """Give racks of about 40 machines; ten stand side by side that are alike, in rows of chance.

    Some groups have twenty times as many racks as others.
    """
    chance = np.random.default_rng(seed)
    groups = size.classes * size.sizes
    share = chance.uniform(1, 20, groups)
    row = chance.choice(groups, -(-size.racks // 10), p=share / share.sum())
    step = np.arange(groups)
    return RackRow(
        group=np.repeat(row, 10)[: size.racks],
        kind=step // size.sizes,
        machines=40 - 2 * (step % size.sizes),
    )


def ownership_samples(run: Run) -> Iterator[Sample]:
    """Measure each question of each named size; racks in, owners of racks out."""
    for name, size in SIZES.items():
        fleet = racks(size)
        questions = {"first": _first, "new shard": _new_shard, "site closes": _site_closes}
        owner = _first(fleet, size.shards, np.zeros_like(fleet.group))
        for question, answer in questions.items():
            run.say(f"{question}, {name}: {size.racks} racks, {size.shards} shards")
            start = np.zeros_like(fleet.group) if answer is _first else owner
            shards = size.shards + (answer is _new_shard)
            timing, after = measure(
                partial(answer, fleet, shards, start), max(1, run.repeat // RUNS)
            )
            stays = ~fleet.site() if answer is _site_closes else np.ones(size.racks, dtype=np.bool_)
            yield Sample(
                f"{question}, {name}", int(fleet.machines[fleet.group].sum()), 0, timing,
                found=_found(fleet, shards, start, after, stays),
            )  # fmt: skip


def _first(fleet: RackRow, shards: int, owner: Ints) -> Ints:
    count = np.bincount(fleet.group, minlength=len(fleet.kind))
    return owners_after(fleet.group, owner, _all(fleet), first(count, shards))


def _new_shard(fleet: RackRow, shards: int, owner: Ints) -> Ints:
    return _balanced(fleet, shards, owner, _all(fleet))


def _site_closes(fleet: RackRow, shards: int, owner: Ints) -> Ints:
    out, stays = owner.copy(), ~fleet.site()
    rest = RackRow(fleet.group[stays], fleet.kind, fleet.machines)
    out[stays] = _balanced(rest, shards, owner[stays], _all(rest))
    return out


def _balanced(fleet: RackRow, shards: int, owner: Ints, movable: Mask) -> Ints:
    holdings = holdings_of(
        fleet.group, owner, movable, len(fleet.kind), np.ones(shards, dtype=np.bool_)
    )
    answer = balanced(holdings, fleet.tree())
    if not answer.proven:
        raise ValueError("the answer is not proven the best.")
    return owners_after(fleet.group, owner, movable, answer.after)


def _all(fleet: RackRow) -> Mask:
    return np.ones(len(fleet.group), dtype=np.bool_)


def _found(fleet: RackRow, shards: int, before: Ints, after: Ints, stays: Mask) -> dict[str, int]:
    """Count what moved, and by how many racks shards differ: in a group, a class, and in all."""
    have = np.zeros((len(fleet.kind), shards), dtype=np.int64)
    np.add.at(have, (fleet.group[stays], after[stays]), 1)
    classes = np.zeros((int(fleet.kind.max()) + 1, shards), dtype=np.int64)
    np.add.at(classes, fleet.kind, have)
    return {
        "moved": int(np.count_nonzero(before != after)),
        "group spread": int(np.ptp(have, axis=1).max()),
        "class spread": int(np.ptp(classes, axis=1).max()),
        "total spread": int(np.ptp(have.sum(axis=0))),
    }
