"""Serving a need from where it is not: at least one of some machines, or a whole gang from them."""

import numpy as np

from models.fleet import Mask
from rebalancer.draft import Draft
from rebalancer.instead.condition import Condition


def demand_of(draft: Draft, need: int) -> int | None:
    """Give the demand of a need that is short, by its row; None where it lacks nothing."""
    demand = draft.snapshot.demand
    found = np.flatnonzero((demand.need == need) & ~demand.migrates)
    return int(found[0]) if len(found) else None


def force(draft: Draft, demand: int, machines: Mask) -> Condition:
    """Give the condition that a demand has a machine of those that are marked, ``(M,)``.

    A gang is to have all it lacks from them; but where only one is marked it is enough that this
    is among them. The groups of the draft tell marked machines apart from others.
    """
    snapshot = draft.snapshot
    marked = np.array(
        [bool(machines[rows[0]]) for rows in snapshot.supply.machines], dtype=np.bool_
    )
    own = draft.lanes.of_demand(demand)
    need = snapshot.fleet.needs[int(snapshot.demand.need[demand])]
    is_whole = need.is_gang and int(np.count_nonzero(machines)) > 1
    bound = int(snapshot.demand.short[demand]) if is_whole else 1
    return Condition(own[marked[draft.lanes.group[own]]], bound, is_least=True)
