"""Arriving machines keep the receiving need within the skew of its hard spreads."""

from collections.abc import Iterator

import numpy as np

from models.fleet import Codes, Ints
from models.need import Spread
from rebalancer.draft import Cap, Lanes, Limit, Skew
from rebalancer.snapshot import Snapshot


def spread(snapshot: Snapshot, lanes: Lanes) -> Iterator[Limit]:
    """For each hard spread of a demand: one skew; lanes of machines without the label are closed.

    The domains are the values among the receiver's matching machines, in any state, and those
    that arrive with this plan: a machine that arrives for another need can open a domain too.
    """
    for demand, row in enumerate(snapshot.demand.need):
        for constraint in snapshot.fleet.needs[row].spread:
            if constraint.is_hard:
                codes = snapshot.matching.values(constraint.key)
                own = lanes.of_demand(demand)
                place = codes[snapshot.supply.cell[lanes.group[own]]]
                yield Cap(own[place < 0], 0)
                yield _skew(snapshot, lanes, demand, constraint, codes)


def _skew(snapshot: Snapshot, lanes: Lanes, demand: int, constraint: Spread, codes: Codes) -> Skew:
    fleet, row = snapshot.fleet, int(snapshot.demand.need[demand])
    shard = int(snapshot.demand.shard[demand])
    machines, size = fleet.machines, int(codes.max(initial=-1)) + 1
    matching = snapshot.matching.eligible(fleet.needs[row])
    place = codes[machines.cell]
    at_home = (machines.shard == shard) & matching[machines.cell] & (place >= 0)
    known = np.bincount(place[at_home], minlength=size) > 0
    stands = place[snapshot.held(demand)]
    held = np.bincount(stands[stands >= 0], minlength=size)
    lane_place: Ints = codes[snapshot.supply.cell[lanes.group]].astype(np.int64)
    target = snapshot.demand.shard[lanes.demand]
    arriving = (target == shard) & snapshot.eligible[lanes.group, demand] & (lane_place >= 0)
    own = lanes.of_demand(demand)
    own = own[arriving[own]]
    openers = tuple(np.flatnonzero(arriving & (lane_place == at)) for at in range(size))
    return Skew(constraint.max_skew, own, lane_place[own], held.astype(np.int64), known, openers)
