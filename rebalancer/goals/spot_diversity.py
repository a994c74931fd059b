"""Goal: spot machines that a cluster would lose with its largest (class, zone).

    sum over clusters of max over (class, zone) of its spot machines there

which is the largest share times the spot machines of the cluster. A cluster has the machines that
serve, or are on their way to, a need of it, and those that are configured for it and serve nobody;
what has a notice counts for nobody. Machines without a zone are in one of their own.
"""

import numpy as np

from models.distinct import places_of
from models.fleet import Fleet, Ints
from models.machine import NOBODY, State
from rebalancer.draft import Draft
from rebalancer.snapshot import Snapshot
from rebalancer.terms import Line, Peak, Terms

NONE = np.empty(0, dtype=np.int64)


def spot_diversity(draft: Draft) -> Terms:
    """Give the goal, in machines; clusters without a lane are the constant."""
    lanes, gainer, loser, boxes = _moving(draft)
    held = _held(draft.snapshot, boxes)
    gains, loses = places_of(gainer), places_of(loser)
    lines: dict[int, list[Line]] = {}
    for place in sorted((gains.keys() | loses.keys()) - {NOBODY}):
        plus, minus = lanes[gains.get(place, NONE)], lanes[loses.get(place, NONE)]
        signs = np.repeat(np.array([1, -1], dtype=np.int64), [len(plus), len(minus)])
        line = Line(held.pop(place, 0), np.concatenate([plus, minus]), signs)
        lines.setdefault(place // boxes, []).append(line)
    rest: dict[int, int] = {}
    for place, machines in held.items():
        rest[place // boxes] = max(rest.get(place // boxes, 0), machines)
    now = sum(largest for cluster, largest in rest.items() if cluster not in lines)
    features = tuple(
        (1, Peak((*moving, Line(rest.get(cluster, 0), NONE, NONE))))
        for cluster, moving in lines.items()
    )
    return Terms(np.zeros(len(draft.lanes)), constant=float(now), features=features)


def _moving(draft: Draft) -> tuple[Ints, Ints, Ints, int]:
    """Give the lanes of spot machines from one cluster to another, with the places they change.

    Places are numbered cluster by cluster, one for each box; how many boxes there are comes last.
    The place that loses is NOBODY where the machines are no cluster's.
    """
    snapshot, supply = draft.snapshot, draft.snapshot.supply
    numbers, (box_of_cell, boxes) = snapshot.fleet.numbers, _boxes(snapshot.fleet)
    lanes = np.flatnonzero(numbers.is_spot[supply.machine_class[draft.lanes.group]])
    group = draft.lanes.group[lanes]
    first = np.array([rows[0] for rows in supply.machines], dtype=np.int64)[group]
    loser = _owner(snapshot)[first]
    need = snapshot.demand.need[draft.lanes.demand[lanes]]
    gainer = snapshot.fleet.need_cluster[need].astype(np.int64)
    moves, box = loser != gainer, box_of_cell[supply.cell[group]]
    lost = np.where(loser == NOBODY, NOBODY, loser * boxes + box)
    return lanes[moves], (gainer * boxes + box)[moves], lost[moves], boxes


def _held(snapshot: Snapshot, boxes: int) -> dict[int, int]:
    """Give the spot machines of each cluster in each box, where there are any."""
    fleet, machines = snapshot.fleet, snapshot.fleet.machines
    owner, (box_of_cell, _) = _owner(snapshot), _boxes(fleet)
    counts = np.flatnonzero(fleet.numbers.is_spot[machines.class_index] & (owner != NOBODY))
    place, many = np.unique(
        owner[counts] * boxes + box_of_cell[machines.cell[counts]], return_counts=True
    )
    return dict(zip(place.tolist(), many.tolist(), strict=True))


def _boxes(fleet: Fleet) -> tuple[Ints, int]:
    """Give the box of each cell, ``(C,)``: its (class, zone); and how many there could be."""
    zones = fleet.zone_codes().astype(np.int64)
    width = int(zones.max(initial=-1)) + 2
    return fleet.cells.class_index.astype(np.int64) * width + zones + 1, len(fleet.classes) * width


def _owner(snapshot: Snapshot) -> Ints:
    """Give the cluster that has each machine, ``(M,)``; NOBODY where none has."""
    fleet, standing = snapshot.fleet, snapshot.standing
    by_need = np.append(fleet.need_cluster, NOBODY)[standing.serves]
    counts = (fleet.machines.state == State.CONFIGURED) & np.isnan(fleet.machines.reclaim_at)
    beyond = np.where(counts, fleet.machines.cluster, NOBODY)
    owner: Ints = np.where(standing.serves >= 0, by_need, beyond).astype(np.int64)
    return owner
