"""Goal: machines that would have to move for every shard to hold a like share of each class.

    1/2 * sum over classes k and shards s of abs(have[k, s] - total[k] / S)

Machines in every state count, speculative ones too. In whole numbers: abs(S * have - total) / 2S.
"""

import numpy as np

from models.distinct import places_of
from rebalancer.draft import Draft
from rebalancer.terms import Feature, Terms, distance


def shard_balance(draft: Draft) -> Terms:
    """Give the goal, in machines; pairs of class and shard without a lane are the constant."""
    snapshot, fleet = draft.snapshot, draft.snapshot.fleet
    shards, classes = len(fleet.shards), len(fleet.classes)
    place = fleet.machines.class_index.astype(np.int64) * shards + fleet.machines.shard
    have = np.bincount(place, minlength=classes * shards).reshape(classes, shards)
    away = shards * have - have.sum(axis=1, keepdims=True)
    row = snapshot.supply.machine_class[draft.lanes.group] * shards
    source = snapshot.supply.shard[draft.lanes.group]
    target = snapshot.demand.shard[draft.lanes.demand]
    # What stays in its shard changes nothing.
    crossing = np.flatnonzero(source != target)
    enter, leave = places_of((row + target)[crossing]), places_of((row + source)[crossing])
    none = np.empty(0, dtype=np.int64)
    features: list[tuple[float, Feature]] = []
    for pair in sorted(enter.keys() | leave.keys()):
        index, shard = divmod(pair, shards)
        gained, lost = crossing[enter.get(pair, none)], crossing[leave.get(pair, none)]
        off_fair = distance(int(away[index, shard]), shards, gained, lost)
        features.append((1 / (2 * shards), off_fair))
        away[index, shard] = 0
    rest = float(np.abs(away).sum()) / (2 * shards)
    return Terms(np.zeros(len(draft.lanes)), constant=rest, features=tuple(features))
