"""The one flow: which shards get one domain more of a group than the others.

    z[g,s] in {0,1}, s in may(g);  sum_s z[g,s] = rest(g);  T_s = base_s + sum_g z[g,s]
    first level totals: min sum_s T_s^2;  then least movement: min sum_{g,s} cost[g,s] z[g,s]

Both at once: the k-th domain of a shard costs its part of the squares, 2k - 1, times more than all
movement together. The totals that water would have (see ``water``) are the best there can be; they
are tried first, since squares make a larger network: for 5,000 groups of racks and 201 shards
0.7 s against 3.0 s of a core, for 400 groups 0.03 s against 0.1 s.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.fleet import Ints, Mask
from rebalancer.problems.ownership.holdings import Holdings
from rebalancer.problems.ownership.water import Shares, shares_of


@dataclass(frozen=True, eq=False, slots=True)
class Extras:
    """A question for the flow.

    Attributes
    ----------
    rest, may
        Shapes ``(G,)`` and ``(G, S)``; see ``water.Shares``.
    cost
        Shape ``(G, S)``, 0 or 1. Whether one more there is one more that moves.
    base
        Shape ``(S,)``. Domains that a shard has without.
    open
        Shape ``(S,)``.
    """

    rest: Ints
    may: Mask
    cost: Ints
    base: Ints
    open: Mask

    @property
    def weight(self) -> int:
        """Give what a step of the squares costs: more than all movement together."""
        return int(self.rest.sum()) + 1


def extras_of(holdings: Holdings, shares: Shares) -> Extras:
    """Ask who gets the rest; it moves nothing where the shard holds more than its base already."""
    return Extras(
        rest=shares.rest,
        may=shares.may,
        cost=(holdings.movable <= shares.base).astype(np.int64),
        base=(holdings.fixed + shares.base).sum(axis=0),
        open=holdings.open,
    )


def extras(asked: Extras) -> Mask:
    """Give z, shape ``(G, S)``. Equal questions give equal answers."""
    if not np.any(asked.rest):
        return np.zeros_like(asked.may)
    found = _flow(asked, _water_arcs(asked))
    if found is None:
        found = _flow(asked, _square_arcs(asked))
    if found is None:
        raise ValueError("a group has more left than shards that may take it.")
    return found


@dataclass(frozen=True, eq=False, slots=True)
class _Arcs:
    """From shards to the sink, and what the shards keep of the flow, ``(S,)``."""

    shard: Ints
    capacity: Ints
    cost: Ints
    kept: Ints


def _water_arcs(asked: Extras) -> _Arcs:
    """Give each shard what levels the totals: its part, and one more where it may be had."""
    base = np.where(asked.open, asked.base, 0)
    total = Holdings(
        np.eye(1, len(base), int(asked.open.argmax()), dtype=np.int64) * asked.rest.sum(),
        base[None, :],
        asked.open,
    )
    level = shares_of(total)
    shard = np.flatnonzero(level.may[0])
    ones = np.ones(len(shard), dtype=np.int64)
    return _Arcs(shard, ones, np.zeros_like(ones), level.base[0])


def _square_arcs(asked: Extras) -> _Arcs:
    """Give each shard an arc for each domain that it may get, dearer one by one."""
    most = np.count_nonzero(asked.may, axis=0)
    shard = np.repeat(np.arange(len(most)), most)
    step = np.arange(len(shard)) - np.repeat(np.cumsum(most) - most, most)
    squares = 2 * (asked.base[shard] + step + 1) - 1
    lowest = squares.min(initial=np.iinfo(np.int64).max)
    cost = (squares - lowest) * asked.weight
    return _Arcs(shard, np.ones_like(shard), cost, np.zeros(len(most), dtype=np.int64))


def _flow(asked: Extras, arcs: _Arcs) -> Mask | None:
    """Send the rest of the groups through the shards to the sink; None where it cannot all go."""
    # Loading the solver takes longer than most questions that need none of it.
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    groups, shards = asked.may.shape
    sink = groups + shards
    group, shard = np.nonzero(asked.may & (asked.rest > 0)[:, None])
    network = SimpleMinCostFlow()
    lanes = network.add_arcs_with_capacity_and_unit_cost(
        _codes(group),
        _codes(groups + shard),
        np.ones(len(group), dtype=np.int64),
        asked.cost[group, shard],
    )
    network.add_arcs_with_capacity_and_unit_cost(
        _codes(groups + arcs.shard),
        _codes(np.full(len(arcs.shard), sink)),
        arcs.capacity,
        arcs.cost,
    )
    supply = np.concatenate([asked.rest, -arcs.kept, [arcs.kept.sum() - asked.rest.sum()]])
    network.set_nodes_supplies(_codes(np.arange(sink + 1)), supply)
    if network.solve() != network.OPTIMAL:
        return None
    z = np.zeros((groups, shards), dtype=np.bool_)
    z[group, shard] = network.flows(lanes) > 0
    return z


def _codes(values: NDArray[np.int64]) -> NDArray[np.int32]:
    return values.astype(np.int32)
