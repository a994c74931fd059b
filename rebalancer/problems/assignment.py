"""Who gets whose machines: lanes from groups of machines to needs that are short."""

import numpy as np

from models.fleet import Mask
from rebalancer.draft import Draft, Lanes, Limit
from rebalancer.rules.catalogue import COUNT_RULES, PAIR_RULES, PLAN_COUNTS, PLAN_PAIRS
from rebalancer.snapshot import Snapshot


def allowed_pairs(snapshot: Snapshot) -> Mask:
    """Mark the pairs of group and demand, ``(G, N)``, that the rules on pairs leave."""
    allowed: Mask = np.ones((len(snapshot.supply), len(snapshot.demand)), dtype=np.bool_)
    for mask in (*PLAN_PAIRS, *PAIR_RULES.values()):
        allowed &= mask(snapshot)
    return allowed


def draft_of(snapshot: Snapshot, chosen: Mask | None = None) -> Draft:
    """Give the lanes, and the limits of the rules on counts.

    ``chosen`` marks the pairs that become lanes, some of those that are allowed; None: all of them.
    """
    group, demand = np.nonzero(allowed_pairs(snapshot) if chosen is None else chosen)
    most = np.minimum(snapshot.supply.count[group], snapshot.demand.short[demand])
    lanes = Lanes(group.astype(np.int64), demand.astype(np.int64), most.astype(np.int64))
    limits: list[Limit] = []
    for rule in (*PLAN_COUNTS, *COUNT_RULES.values()):
        limits.extend(rule(snapshot, lanes))
    return Draft(snapshot, lanes, tuple(limits))
