"""Who serves what, by min-cost flow: OR-Tools finds the best, at sizes that nobody enumerates.

Each need sends as many units as it wants, each group takes as many as it has machines, and what a
need lacks goes round the groups, over an arc of its own:

    need n --(moves[n, g], up to size[g])--> group g --(0, up to size[g])--> sink    where n fits g
    need n --(cost of lacking, up to what it may lack)---------------------> sink

Nothing here relies on how an engine fills, nor on why that would be best.
"""

from collections import Counter

import numpy as np
from oracle.attribution import fill_order, home, suits
from oracle.world import Machine, World
from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

from hotpath.plain.attribution import Groups
from models.fleet import Ints


def best_deal(groups: Groups, wanted: Ints) -> tuple[list[int], int]:
    """Give the largest fills, need by need in their order, and the fewest changes they cost.

    First the first need lacks as little as it can; then the second, while the first lacks no more
    than that; and so on. Then moves alone cost.
    """
    may_lack = wanted.copy()
    for need, one in enumerate(np.eye(len(wanted), dtype=np.int64)):
        may_lack[need] = _least_cost(groups, wanted, may_lack, one, move=0)
    return (wanted - may_lack).tolist(), _least_cost(groups, wanted, may_lack, 0 * wanted, move=1)


def largest_total(groups: Groups, wanted: Ints) -> int:
    """Give how many machines can serve in all, whomever."""
    ones = np.ones_like(wanted)
    return int(wanted.sum()) - _least_cost(groups, wanted, wanted, ones, move=0)


def _least_cost(groups: Groups, wanted: Ints, may_lack: Ints, lack: Ints, move: int) -> int:
    """Solve, where lacking a machine costs ``lack``, by need, and each change of need ``move``."""
    needs, width = groups.fits.shape
    sink, group_nodes = needs + width, np.arange(needs, needs + width)
    takers, taken = np.nonzero(groups.fits)
    network = SimpleMinCostFlow()
    for tails, heads, capacities, costs in (
        (takers, group_nodes[taken], groups.size[taken], move * groups.moves[takers, taken]),
        (group_nodes, np.full(width, sink), groups.size, np.zeros(width, dtype=np.int64)),
        (np.arange(needs), np.full(needs, sink), may_lack, lack),
    ):
        network.add_arcs_with_capacity_and_unit_cost(tails, heads, capacities, costs)
    network.set_nodes_supplies(np.arange(needs), wanted)
    network.set_node_supply(sink, -int(wanted.sum()))
    assert network.solve() == network.OPTIMAL
    return int(network.optimal_cost())


def best_fills(world: World, cluster: str, without: list[Machine]) -> tuple[dict[int, int], int]:
    """Answer as ``oracle.attribution.best_fills`` does: fills of plain needs, how many are kept."""
    needs = [n for n in fill_order(world, cluster) if world[n].same is None]
    counted = Counter(
        (m.names, tuple(suits(world, m, n) for n in needs))
        for m in world.machines
        if home(world, m) == cluster and m not in without
    )
    shape = (len(counted), len(needs))
    groups = Groups(
        size=np.array(list(counted.values()), dtype=np.int64),
        fits=np.array([fits for _, fits in counted], dtype=np.bool_).reshape(shape).T,
        moves=np.array([[n != names for n in needs] for names, _ in counted], dtype=np.int64)
        .reshape(shape)
        .T,
    )
    wanted = np.array([world[n].count for n in needs], dtype=np.int64)
    fills, changes = best_deal(groups, wanted)
    return dict(zip(needs, fills, strict=True)), sum(fills) - changes
