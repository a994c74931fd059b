"""Goal: machines that would have to move for every shard to hold a like share of each class.

    1/2 * sum over classes k and shards s of abs(have[k, s] - total[k] / S)

Machines in every state count, speculative ones too. In whole numbers: abs(S * have - total) / 2S.
"""

import numpy as np

from rebalancer.draft import Draft
from rebalancer.terms import Feature, Terms, distance


def shard_balance(draft: Draft) -> Terms:
    """Give the goal, in machines; pairs of class and shard without a lane are the constant."""
    snapshot, fleet = draft.snapshot, draft.snapshot.fleet
    shards, classes = len(fleet.shards), len(fleet.classes)
    place = fleet.machines.class_index.astype(np.int64) * shards + fleet.machines.shard
    have = np.bincount(place, minlength=classes * shards).reshape(classes, shards)
    away = shards * have - have.sum(axis=1, keepdims=True)
    moving = snapshot.supply.machine_class[draft.lanes.group]
    source = snapshot.supply.shard[draft.lanes.group]
    target = snapshot.demand.shard[draft.lanes.demand]
    features: list[tuple[float, Feature]] = []
    for index in np.unique(moving).tolist():
        of_class = moving == index
        for shard in np.unique(np.concatenate([source[of_class], target[of_class]])).tolist():
            enter = np.flatnonzero(of_class & (target == shard))
            leave = np.flatnonzero(of_class & (source == shard))
            off_fair = distance(int(away[index, shard]), shards, enter, leave)
            features.append((1 / (2 * shards), off_fair))
            away[index, shard] = 0
    rest = float(np.abs(away).sum()) / (2 * shards)
    return Terms(np.zeros(len(draft.lanes)), constant=rest, features=tuple(features))
