"""Machines for the needs that come before, which then leave to this one what they have now.

Counting does not tell what such a need would give back, so these are only ever proposed where they
can be tried.
"""

import numpy as np

from models.fleet import Ints
from models.rules import Rule
from rebalancer.explain.additions import GIVEN, MANY, Addition, before
from rebalancer.explain.counting import Counting
from rebalancer.explain.machines_to_add import like_cell


def turns(counting: Counting) -> list[Addition]:
    """Give one way for each class that does not suit the need, the cheapest first.

    Of the cells of a class it is the one that suits those who hold most of what this need could
    use. Only in its own shard.
    """
    scene = counting.scene
    gap = counting.gap(scene.terms)
    lent, short = np.zeros((2, len(scene.fleet.cells)), dtype=np.int64)
    ahead, held = before(scene, scene.shard), _held(counting)
    for row in ahead:
        eligible = scene.matching.eligible(scene.fleet.needs[row])
        lent += int(held[row]) * eligible
        short += min(int(scene.short[row]), MANY) * eligible
    suits = np.ones(len(lent), dtype=np.bool_)
    for refused in counting.refused_cells.values():
        suits &= ~refused
    rows = np.flatnonzero((lent > 0) & ~suits)
    rows = rows[np.argsort(-lent[rows], kind="stable")]
    _, first = np.unique(scene.fleet.cells.class_index[rows], return_index=True)
    found = [
        Addition((like_cell(scene, row, scene.shard, gap.missing + int(short[row])),))
        for row in rows[first].tolist()
    ]
    return sorted(found, key=lambda each: (each.price, each.count))


def _held(counting: Counting) -> Ints:
    """Give what each need, ``(N,)``, was given in this cycle that would suit this one."""
    scene, parcels = counting.scene, counting.scene.parcels
    asked = [term for term in scene.terms if term.rule in (Rule.MATCHES, Rule.FITS)]
    mask = np.isin(parcels.doing, GIVEN) & (parcels.holder >= 0) & (parcels.shard == scene.shard)
    mask &= counting.suits(asked)
    held = np.zeros(len(scene.fleet.needs), dtype=np.int64)
    np.add.at(held, parcels.holder[mask], parcels.count[mask])
    return held
