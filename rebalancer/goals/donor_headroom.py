"""Goal: machines by which the idle ones of a shard fall below what it expects to assign soon.

    sum over shards s and classes k of max(0, forecast[s, k] - idle[s, k])

The forecast is that of the shard's own release. Idle are machines that no cycle has reserved, less
those that the plan takes; those it brings are for needs and never idle.
"""

import numpy as np

from models.distinct import places_of
from models.machine import State
from rebalancer.draft import Draft
from rebalancer.snapshot import SupplyKind
from rebalancer.terms import Feature, Line, Peak, Terms


def donor_headroom(draft: Draft) -> Terms:
    """Give the goal, in machines; pairs of shard and class without a lane are the constant."""
    snapshot, group = draft.snapshot, draft.lanes.group
    fleet, standing, supply = snapshot.fleet, snapshot.standing, snapshot.supply
    machines, classes = fleet.machines, len(fleet.classes)
    idle = standing.free & (machines.state == State.IDLE)
    place = machines.shard.astype(np.int64) * classes + machines.class_index
    have = np.bincount(place[idle], minlength=len(fleet.shards) * classes)
    missing = standing.forecast.reshape(-1) - have
    lanes = np.flatnonzero(supply.kind[group] == SupplyKind.IDLE)
    source = supply.shard[group] * classes + supply.machine_class[group]
    none = np.empty(0, dtype=np.int64)
    features: list[tuple[float, Feature]] = []
    for pair, places in places_of(source[lanes]).items():
        taken = lanes[places]
        # No more than there are: a shard that expects nothing never comes in.
        if min(int(draft.lanes.most[taken].sum()), int(have[pair])) + int(missing[pair]) > 0:
            below = Line(int(missing[pair]), taken, np.ones(len(taken), dtype=np.int64))
            features.append((1, Peak((below, Line(0, none, none)))))
            missing[pair] = 0
    rest = float(np.maximum(missing, 0).sum())
    return Terms(np.zeros(len(group)), constant=rest, features=tuple(features))
