"""OR-Tools' min-cost flow behind its door: nothing here is believed by those who ask."""

import numpy as np

from models.fleet import Ints
from rebalancer.flows.arcs import Arcs


def load() -> None:
    """Load the solver ahead of the first problem: that takes a part of a second."""
    from ortools.graph.python import min_cost_flow  # noqa: F401


def cheapest(arcs: Arcs, least: Ints, most: Ints, cost: Ints) -> Ints | None:
    """Give a circulation of least cost with ``least <= flow <= most``, all ``(A,)``.

    None when the solver says that it has none. The method is cost scaling (Goldberg 1997): it
    depends on nothing but its input, and has no limit in time.
    """
    # Here and not above: the import takes a while, and many rounds need no solver.
    from ortools.graph.python import min_cost_flow

    free = np.flatnonzero(least < most)
    solver = min_cost_flow.SimpleMinCostFlow()
    solver.add_arcs_with_capacity_and_unit_cost(
        arcs.tail[free].astype(np.int32),
        arcs.head[free].astype(np.int32),
        (most - least)[free],
        cost[free],
    )
    supply = np.zeros(arcs.nodes, dtype=np.int64)
    np.add.at(supply, arcs.head, least)
    np.subtract.at(supply, arcs.tail, least)
    solver.set_nodes_supplies(np.arange(arcs.nodes, dtype=np.int32), supply)
    if solver.solve() != solver.OPTIMAL:
        return None
    flow = least.copy()
    flow[free] += np.asarray(solver.flows(np.arange(len(free), dtype=np.int32)))
    return flow
