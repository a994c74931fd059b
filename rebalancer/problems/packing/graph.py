"""The arc flow of one block: every way to fill a rack is a path of slots."""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints


@dataclass(frozen=True, eq=False, slots=True)
class Graph:
    """Nodes are machines used so far; only sums that sizes in decreasing order reach are there.

    Attributes
    ----------
    nodes
        Sorted, the first is 0.
    tail, size
        The arcs: a slot of ``size`` machines from node ``tail`` on.
    """

    nodes: Ints
    tail: Ints
    size: Ints

    def end(self, free: Ints) -> Ints:
        """Give the last node that fits, for each number of free machines."""
        last: Ints = self.nodes[np.searchsorted(self.nodes, free, side="right") - 1]
        return last


def graph(sizes: Ints, room: int) -> Graph:
    """Give the graph of these sizes, sorted and distinct, in racks of at most ``room`` machines."""
    reached = np.zeros(room + 1, dtype=np.bool_)
    reached[0] = True
    tails, lengths = [], []
    for size in sizes[::-1].tolist():
        # Slots of one size may follow each other, so nodes that it reaches itself count too.
        turns = -(-len(reached) // size)
        laps = np.zeros((turns, size), dtype=np.bool_)
        laps.ravel()[: room + 1] = reached
        reached = np.logical_or.accumulate(laps).ravel()[: room + 1]
        tail = np.flatnonzero(reached[: max(0, room + 1 - size)])
        tails.append(tail)
        lengths.append(np.full(len(tail), size))
    none = np.zeros(0, dtype=np.int64)
    return Graph(
        np.flatnonzero(reached).astype(np.int64),
        np.concatenate([none, *tails]),
        np.concatenate([none, *lengths]),
    )
