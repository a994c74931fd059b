"""Proof that a circulation is optimal, by arithmetic of our own on numbers anybody can check.

Let a flow x keep l <= x <= u on every arc. For whatever numbers y on the nodes, the reduced costs
r = c + y[tail] - y[head] give every such flow the same cost as c does, for what enters a node
leaves it. So

    c x  =  r x  >=  sum over arcs of min(r l, r u)

and the right side bounds all flows from below. Where x reaches it, x is optimal; and then the
optimal flows are exactly those with x = l where r > 0 and x = u where r < 0, so that the next
objective is again one over a circulation, with fewer arcs left free. The numbers y are shortest
distances in the residual network (Bellman 1958, Ford 1956); they need not be, to be a bound.
"""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from rebalancer.flows.arcs import Arcs

_LARGEST = 2.0**62


@dataclass(frozen=True, eq=False, slots=True)
class Face:
    """The circulations that are still open: ``least <= flow <= most``, both ``(A,)``."""

    arcs: Arcs
    least: Ints
    most: Ints

    def holds(self, flow: Ints) -> bool:
        """Tell whether a flow, ``(A,)``, keeps the limits and leaves nothing at any node."""
        if flow.shape != self.least.shape or ((flow < self.least) | (flow > self.most)).any():
            return False
        left = np.zeros(self.arcs.nodes, dtype=np.int64)
        np.add.at(left, self.arcs.head, flow)
        np.subtract.at(left, self.arcs.tail, flow)
        return not left.any()

    def bound(self, reduced: Ints) -> int:
        """Bound the cost of every flow of the face from below, by reduced costs, ``(A,)``."""
        return dot(reduced, np.where(reduced > 0, self.least, self.most))

    def optimal(self, reduced: Ints) -> "Face":
        """Give the flows that reach the bound; there may be none."""
        return Face(
            self.arcs,
            np.where(reduced < 0, self.most, self.least),
            np.where(reduced > 0, self.least, self.most),
        )


def reduced_costs(arcs: Arcs, cost: Ints, potential: Ints) -> Ints:
    """Give what costs, ``(A,)``, become by numbers on the nodes, ``(nodes,)``."""
    if not potential.any():
        return cost
    reduced: Ints = cost + potential[arcs.tail] - potential[arcs.head]
    return reduced


def potentials(face: Face, flow: Ints, cost: Ints, most_sweeps: int) -> Ints:
    """Give shortest distances in the residual network, ``(nodes,)``, from a start next to all.

    Where the flow can be made cheaper there are none, and what most sweeps led to is given.
    """
    arcs = face.arcs
    grows, shrinks = flow < face.most, flow > face.least
    distance = np.zeros(arcs.nodes, dtype=np.int64)
    if not (grows & (cost < 0)).any() and not (shrinks & (cost > 0)).any():
        return distance
    more, less = np.flatnonzero(grows), np.flatnonzero(shrinks)
    source = np.concatenate([arcs.tail[more], arcs.head[less]])
    target = np.concatenate([arcs.head[more], arcs.tail[less]])
    length = np.concatenate([cost[more], -cost[less]])
    order = np.argsort(target, kind="stable")
    source, target, length = source[order], target[order], length[order]
    first = np.flatnonzero(np.append(True, target[1:] != target[:-1]))
    reached = target[first]
    for _ in range(most_sweeps):
        nearest = np.minimum.reduceat(distance[source] + length, first)
        if (nearest >= distance[reached]).all():
            break
        distance[reached] = np.minimum(distance[reached], nearest)
    return distance


def dot(left: Ints, right: Ints) -> int:
    """Give the sum of the products, in whole numbers of any size."""
    some = np.flatnonzero(left)
    left, right = left[some], right[some]
    if float(np.abs(left).astype(np.float64) @ np.abs(right).astype(np.float64)) < _LARGEST:
        return int(left @ right)
    return sum(a * b for a, b in zip(left.tolist(), right.tolist(), strict=True))
