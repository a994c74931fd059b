"""From counts back to domains: which of them change hands."""

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.problems.ownership.holdings import Holdings


def holdings_of(group: Ints, owner: Ints, movable: Mask, groups: int, open: Mask) -> Holdings:
    """Count domains; ``group``, ``owner`` and ``movable`` have shape ``(D,)``."""
    shape = groups, len(open)
    place = group * shape[1] + owner
    have = np.bincount(place, minlength=shape[0] * shape[1])
    free = np.bincount(place[movable], minlength=shape[0] * shape[1])
    return Holdings(free.reshape(shape), (have - free).reshape(shape), open)


def owners_after(group: Ints, owner: Ints, movable: Mask, after: Ints) -> Ints:
    """Give the owner of each domain, shape ``(D,)``, once each shard holds ``after``, ``(G, S)``.

    Of what a shard has too many of, the first in the order of the domains go, to the shards that
    have too few, in their order. What can stay stays.
    """
    groups, shards = after.shape
    place = group * shards + owner
    before = np.bincount(place[movable], minlength=groups * shards)
    spare = np.maximum(before - after.ravel(), 0)
    missing = np.maximum(after.ravel() - before, 0)
    candidates = np.flatnonzero(movable & (spare > 0)[place])
    leaving = candidates[_first_of_each(place[candidates], spare)]
    # Both are in the order of groups now, and of each group as many leave as are missing.
    leaving = leaving[np.argsort(group[leaving], kind="stable")]
    target = np.repeat(np.tile(np.arange(shards), groups), missing)
    out = owner.copy()
    out[leaving] = target
    return out


def _first_of_each(place: Ints, most: Ints) -> Ints:
    """Give positions of the first ``most[p]`` entries of each place p, sorted by place."""
    order = np.argsort(place, kind="stable")
    count = np.bincount(place, minlength=len(most))
    start = np.cumsum(count) - count
    ordered = place[order]
    return np.asarray(order[np.arange(len(order)) - start[ordered] < most[ordered]])
