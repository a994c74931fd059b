"""Who serves what: deal the machines that a cluster holds to its needs.

The needs are filled one by one, each as far as it can be without taking from an earlier one. That
is a bipartite b-matching built by augmenting paths (L. R. Ford and D. R. Fulkerson, 1956): an
augmentation may pass a machine of an earlier need on to a later one only by giving the earlier one
another in its place, so earlier fills never shrink, and the total is the largest possible too
(the fills are bases of a transversal matroid; J. Edmonds, 1971). Each path is a shortest one where
keeping a machine with the need it serves costs 0 and moving it costs 1, so that as few as possible
change their need (successive shortest paths).

Machines are counted in groups alike in cell, in being configured, and in the need they serve now.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.fleet import Ints, Mask

_UNREACHED = np.iinfo(np.int64).max // 4


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """The machines of one cluster, counted; ``G`` groups and ``n`` needs in the order of filling.

    Attributes
    ----------
    size
        Shape ``(G,)``. Machines in each group.
    fits
        Shape ``(n, G)``. Whether the need can use machines of the group.
    moves
        Shape ``(n, G)``. 1 where a machine of the group would change its need, else 0.
    """

    size: Ints
    fits: Mask
    moves: Ints


def fill(groups: Groups, wanted: Ints) -> Ints:
    """Deal the groups to the needs; give the count of each group that each need gets, ``(n, G)``.

    ``wanted`` has shape ``(n,)``. Needs come in the order in which they are filled.
    """
    flow = np.zeros(groups.fits.shape, dtype=np.int64)
    fill_some(groups, flow, wanted, 0, len(wanted))
    return flow


def fill_some(groups: Groups, flow: Ints, wanted: Ints, first: int, end: int) -> None:
    """Give the needs of ``first`` to ``end`` up to ``wanted``, ``(n,)``, more each, in ``flow``."""
    for need in range(first, end):
        augment(groups, flow, need, int(wanted[need]))


def augment(groups: Groups, flow: Ints, need: int, wanted: int) -> int:
    """Give ``need`` up to ``wanted`` machines more, in place, and return how many it got."""
    got = 0
    while got < wanted and len(groups.size):
        path = _shortest_path(groups, flow, need)
        if path is None:
            break
        free = groups.size - flow.sum(axis=0)
        amount = min(
            wanted - got,
            int(free[path[-1].group]),
            *(int(flow[after.need, step.group]) for step, after in pairwise(path)),
        )
        for step, after in pairwise(path):
            flow[after.need, step.group] -= amount
        for step in path:
            flow[step.need, step.group] += amount
        got += amount
    return got


@dataclass(frozen=True, slots=True)
class _Step:
    """``need`` takes from ``group``: from its free machines, or from the next step's need."""

    need: int
    group: int


def _shortest_path(groups: Groups, flow: Ints, source: int) -> list[_Step] | None:
    """Find the path with the fewest changes from ``source`` to a group with free machines.

    Bellman and Ford over the needs, since passing a machine back to the need it serves costs -1.
    Ties go to the lowest group, then the lowest need.
    """
    count = len(flow)
    distance = np.full(count, _UNREACHED, dtype=np.int64)
    distance[source] = 0
    via: list[_Step | None] = [None] * count
    for _ in range(count):
        changed = False
        for taker in np.flatnonzero(distance < _UNREACHED):
            # Weight of taking from each other need through each group, where it holds any.
            weight = np.where(
                groups.fits[taker] & (flow > 0), groups.moves[taker] - groups.moves, _UNREACHED
            )
            best = weight.min(axis=1)
            better = np.flatnonzero((best < _UNREACHED) & (distance[taker] + best < distance))
            for giver in better:
                distance[giver] = distance[taker] + best[giver]
                via[giver] = _Step(int(taker), int(weight[giver].argmin()))
                changed = True
        if not changed:
            break
    free = groups.size > flow.sum(axis=0)
    last = np.where(groups.fits & free, groups.moves + distance[:, None], _UNREACHED)
    last[distance == _UNREACHED] = _UNREACHED
    if not last.size or last.min() >= _UNREACHED:
        return None
    need, group = divmod(int(last.argmin()), last.shape[1])
    path = [_Step(need, group)]
    while path[0].need != source:
        step = via[path[0].need]
        if step is None:
            break
        path.insert(0, step)
    return path
