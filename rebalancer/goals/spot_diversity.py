"""Goal: spot machines that a cluster would lose with its largest (class, zone).

    sum over clusters of max over (class, zone) of its spot machines there

which is the largest share times the spot machines of the cluster. A cluster has the machines that
serve, or are on their way to, a need of it, and those that are configured for it and serve nobody;
what has a notice counts for nobody. Machines without a zone are in one of their own.
"""

import numpy as np

from models.fleet import Ints
from models.machine import NOBODY, State
from rebalancer.draft import Draft
from rebalancer.snapshot import Snapshot
from rebalancer.terms import Feature, Line, Peak, Terms


def spot_diversity(draft: Draft) -> Terms:
    """Give the goal, in machines."""
    snapshot, lanes = draft.snapshot, draft.lanes
    fleet, supply = snapshot.fleet, snapshot.supply
    machines, zones = fleet.machines, fleet.zone_codes().astype(np.int64)
    width = int(zones.max(initial=-1)) + 2
    box = fleet.cells.class_index * width + zones + 1
    owner = _owner(snapshot)
    counts = np.flatnonzero(fleet.numbers.is_spot[machines.class_index] & (owner != NOBODY))
    is_spot = np.flatnonzero(fleet.numbers.is_spot[supply.machine_class[lanes.group]])
    lane_box = box[supply.cell[lanes.group]]
    first = np.array([rows[0] for rows in supply.machines], dtype=np.int64)
    loser = np.full(len(lanes), NOBODY, dtype=np.int64)
    loser[is_spot] = owner[first[lanes.group[is_spot]]]
    gainer = fleet.need_cluster[snapshot.demand.need[lanes.demand]]
    now, features = 0, list[tuple[float, Feature]]()
    for cluster in range(len(fleet.clusters)):
        own = counts[owner[counts] == cluster]
        boxes, held = np.unique(box[machines.cell[own]], return_counts=True)
        has = dict(zip(boxes.tolist(), held.tolist(), strict=True))
        gains = is_spot[gainer[is_spot] == cluster]
        loses = is_spot[loser[is_spot] == cluster]
        moving = np.unique(lane_box[np.concatenate([gains, loses])]).tolist()
        if not moving:
            now += max(has.values(), default=0)
            continue
        lines = [
            _line(has.pop(at, 0), gains[lane_box[gains] == at], loses[lane_box[loses] == at])
            for at in moving
        ]
        none = np.empty(0, dtype=np.int64)
        lines.append(Line(max(has.values(), default=0), none, none))
        features.append((1, Peak(tuple(lines))))
    return Terms(np.zeros(len(lanes)), constant=float(now), features=tuple(features))


def _line(held: int, gains: Ints, loses: Ints) -> Line:
    signs = np.repeat(np.array([1, -1], dtype=np.int64), [len(gains), len(loses)])
    return Line(held, np.concatenate([gains, loses]), signs)


def _owner(snapshot: Snapshot) -> Ints:
    """Give the cluster that has each machine, ``(M,)``; NOBODY where none has."""
    fleet, standing = snapshot.fleet, snapshot.standing
    by_need = np.append(fleet.need_cluster, NOBODY)[standing.serves]
    counts = (fleet.machines.state == State.CONFIGURED) & np.isnan(fleet.machines.reclaim_at)
    beyond = np.where(counts, fleet.machines.cluster, NOBODY)
    owner: Ints = np.where(standing.serves >= 0, by_need, beyond).astype(np.int64)
    return owner
