"""Who serves what: deal the machines that a cluster holds to its needs.

Each need begins with what serves it already. Then the needs are filled one by one, each as far as
it can be without taking from an earlier one. That is a bipartite b-matching built by augmenting
paths (L. R. Ford and D. R. Fulkerson, 1956): a path may pass a machine of an earlier need on to a
later one only by giving the earlier one another in its place, so earlier fills never shrink; it may
end at a later need, which loses a machine and is filled in its turn. The total is the largest
possible too (the fills are bases of a transversal matroid; J. Edmonds, 1971). Each path is a
shortest one where keeping a machine with the need it serves costs 0 and moving it costs 1, so that
as few as possible change their need (successive shortest paths, which keep a flow cheapest for the
fills it has, whatever their order).

Machines are counted in groups alike in cell, in being configured, and in the need they serve now.
"""

from dataclasses import dataclass

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
        Shape ``(n, G)``. 0 where the group serves the need now, 1 where a machine of it would
        change its need; each group serves one need at the most.
    """

    size: Ints
    fits: Mask
    moves: Ints


def fill(groups: Groups, wanted: Ints) -> Ints:
    """Deal the groups to the needs; give the count of each group that each need gets, ``(n, G)``.

    ``wanted`` has shape ``(n,)``. Needs come in the order in which they are filled.
    """
    flow = keep(groups, wanted)
    fill_some(groups, flow, wanted, 0, len(wanted))
    return flow


def keep(groups: Groups, wanted: Ints) -> Ints:
    """Give each need what serves it already, up to ``wanted``, ``(n,)``; the first groups first."""
    own = np.where(groups.fits & (groups.moves == 0), groups.size, 0)
    before = np.cumsum(own, axis=1) - own
    kept: Ints = np.clip(wanted[:, None] - before, 0, own)
    return kept


def fill_some(groups: Groups, flow: Ints, wanted: Ints, first: int, end: int) -> None:
    """Fill the needs of ``first`` to ``end`` up to ``wanted``, ``(n,)``, in place in ``flow``."""
    for need in range(first, end):
        lacking = int(wanted[need]) - int(flow[need].sum())
        while lacking > 0 and len(groups.size):
            path = _shortest_path(groups, flow, need)
            if path is None:
                break
            lacking -= _send(groups, flow, path, lacking)


@dataclass(frozen=True, slots=True)
class _Step:
    """``need`` takes from ``group`` what ``giver`` has of it; -1: what is free of it."""

    need: int
    group: int
    giver: int


def _send(groups: Groups, flow: Ints, path: list[_Step], most: int) -> int:
    """Pass up to ``most`` machines along a path; give how many went."""
    free = groups.size - flow.sum(axis=0)
    amount = most
    for step in path:
        has = flow[step.giver, step.group] if step.giver >= 0 else free[step.group]
        amount = min(amount, int(has))
    for step in path:
        flow[step.need, step.group] += amount
        if step.giver >= 0:
            flow[step.giver, step.group] -= amount
    return amount


def _shortest_path(groups: Groups, flow: Ints, source: int) -> list[_Step] | None:
    """Find the path with the fewest changes from ``source`` to free machines or to a later need.

    Ties: what is free (of the source itself, else of the lowest need on the way; then the lowest
    group), then the last need.
    """
    distance, via = _reach(groups, flow, source)
    free = groups.size > flow.sum(axis=0)
    ends = np.where(groups.fits & free, groups.moves + distance[:, None], _UNREACHED)
    ends[distance == _UNREACHED] = _UNREACHED
    later = distance[source + 1 :]
    nearest = int(later.min(initial=_UNREACHED))
    if nearest < ends.min(initial=_UNREACHED):
        loser = source + 1 + int(np.flatnonzero(later == nearest)[-1])
        return _back(via, loser, [])
    if ends.min(initial=_UNREACHED) >= _UNREACHED:
        return None
    nearest = int(ends.min())
    need = source if (ends[source] == nearest).any() else int(ends.min(axis=1).argmin())
    group = int(ends[need].argmin())
    return _back(via, need, [_Step(need, group, -1)])


def _back(via: list[_Step | None], need: int, path: list[_Step]) -> list[_Step]:
    """Go back from a need to the source."""
    step = via[need]
    return path if step is None else _back(via, step.need, [step, *path])


def _reach(groups: Groups, flow: Ints, source: int) -> tuple[Ints, list[_Step | None]]:
    """Find how few changes lead from the source to each need, and by which last step.

    Bellman and Ford, since passing a machine back to the need it serves costs -1.
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
            for giver in better.tolist():
                distance[giver] = distance[taker] + best[giver]
                via[giver] = _Step(int(taker), int(weight[giver].argmin()), giver)
                changed = True
        if not changed:
            break
    return distance, via
