"""Who gets whose machines: lanes from groups of machines to needs that are short."""

import numpy as np

from models.fleet import Mask
from rebalancer.draft import Draft, Lanes, Limit
from rebalancer.rules.catalogue import COUNT_RULES, PAIR_RULES, PLAN_COUNTS, PLAN_PAIRS
from rebalancer.snapshot import Snapshot


def draft_of(snapshot: Snapshot) -> Draft:
    """Give the lanes that the rules on pairs leave, and the limits of the rules on counts."""
    allowed: Mask = np.ones((len(snapshot.supply), len(snapshot.demand)), dtype=np.bool_)
    for mask in (*PLAN_PAIRS, *PAIR_RULES.values()):
        allowed &= mask(snapshot)
    group, demand = np.nonzero(allowed)
    most = np.minimum(snapshot.supply.count[group], snapshot.demand.short[demand])
    lanes = Lanes(group.astype(np.int64), demand.astype(np.int64), most.astype(np.int64))
    limits: list[Limit] = []
    for rule in (*PLAN_COUNTS, *COUNT_RULES.values()):
        limits.extend(rule(snapshot, lanes))
    return Draft(snapshot, lanes, tuple(limits))
