"""The one flow: units of each group go to a shard, and there up through the sets that hold it.

Every (set, shard) has a way up to the next larger set for each domain that it may get, dearer one
by one. Their number is what a solve costs: for 400 groups of 40 kinds and 201 shards 1.0 s with
only the share that water would have (see ``water``), 6.7 s with all of them. So windows around it
are tried from the narrowest on until an answer is proven. Where nothing is fixed the first will do:
z[g,s] = rest(g) / S lies within all its bounds, and a flow with whole bounds can be whole.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from models.fleet import Ints, Mask
from rebalancer.problems.ownership.extras import Extras
from rebalancer.problems.ownership.holdings import Holdings
from rebalancer.problems.ownership.proof import is_an_answer, is_least
from rebalancer.problems.ownership.water import shares_of

if TYPE_CHECKING:
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow


def extras(asked: Extras) -> tuple[Mask, bool]:
    """Give z, ``(G, S)``, and whether it is proven the best. Equal questions give equal answers.

    Raises
    ------
    ValueError
        When a group has more left than shards that may take it, or the solver fails.
    """
    if not np.any(asked.rest):
        return np.zeros_like(asked.may), True
    most = int(asked.tree.sums(asked.may.astype(np.int64)).max())
    window, found = 0, None
    while True:
        found = _flow(asked, _ways(asked, window))
        if found is not None and not is_an_answer(asked, found):
            raise ValueError("the flow does not deal out what is left of each group.")
        proven = found is not None and is_least(asked, found)
        if proven or window >= most:
            break
        window = max(1, 2 * window)
    if found is None:
        raise ValueError("a group has more left than shards that may take it.")
    return found, proven


@dataclass(frozen=True, eq=False, slots=True)
class _Ways:
    """Ways up from sets, for one domain each: which (set, shard) they leave, and their cost.

    ``least``, ``(V, S)``, goes up in any case.
    """

    place: Ints
    cost: Ints
    least: Ints


def _ways(asked: Extras, window: int) -> _Ways:
    """Let each set in each shard get its level share, up to ``window`` less and more."""
    most = asked.tree.sums(asked.may.astype(np.int64))
    poured = np.zeros_like(asked.base)
    poured[:, asked.open.argmax()] = asked.tree.sums(asked.rest)
    level = shares_of(Holdings(poured, asked.base, asked.open))
    least = np.clip(level.base - window, 0, most)
    room = (np.clip(level.base + level.may + window, 0, most) - least).ravel()
    place = np.repeat(np.arange(len(room)), room)
    step = np.arange(len(place)) - np.repeat(np.cumsum(room) - room, room)
    # Less what all ways of a set cost at least, so that costs stay small.
    low = asked.base - asked.base[:, asked.open].min(axis=1, keepdims=True)
    squares = 2 * ((low + least).ravel()[place] + step) + 1
    weights = np.broadcast_to(asked.weights, low.shape).ravel()
    return _Ways(place, squares * weights[place], least)


def _flow(asked: Extras, ways: _Ways) -> Mask | None:
    """Send the rest of the groups up through their sets; None where it cannot all go."""
    # Loading the solver takes longer than most questions that need none of it.
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    groups, shards = asked.may.shape
    sink = groups + asked.base.size
    # The node above each (set, shard): the same shard of the next larger set, or the sink.
    above = groups + asked.tree.above[:, None] * shards + np.arange(shards)
    above[-1] = sink
    group, shard = np.nonzero(asked.may & (asked.rest > 0)[:, None])
    entry = groups + asked.tree.of_group[group] * shards + shard
    network = SimpleMinCostFlow()
    lanes = _add(network, group, entry, asked.cost[group, shard])
    _add(network, groups + ways.place, above.ravel()[ways.place], ways.cost)
    supply = np.zeros(sink + 1, dtype=np.int64)
    supply[:groups] = asked.rest
    supply[groups:sink] = -ways.least.ravel()
    np.add.at(supply, above.ravel(), ways.least.ravel())
    supply[sink] -= asked.rest.sum()
    network.set_nodes_supplies(_codes(np.arange(sink + 1)), supply)
    if network.solve() != network.OPTIMAL:
        return None
    z = np.zeros((groups, shards), dtype=np.bool_)
    z[group, shard] = network.flows(lanes) > 0
    return z


def _add(network: "SimpleMinCostFlow", tail: Ints, head: Ints, cost: Ints) -> NDArray[np.int32]:
    """Add arcs with room for one; give their numbers."""
    lanes: NDArray[np.int32] = network.add_arcs_with_capacity_and_unit_cost(
        _codes(tail), _codes(head), np.ones(len(tail), dtype=np.int64), cost
    )
    return lanes


def _codes(values: Ints) -> NDArray[np.int32]:
    return values.astype(np.int32)
