"""What the goals say of a change of owners."""

from collections.abc import Mapping

import numpy as np

from models.fleet import Fleet, Ints, Mask
from models.plan import GoalValue
from models.rules import Goal


def goals_of(
    fleet: Fleet, closed: Mask, without: Mask, weights: Mapping[Goal, float], owner: Ints
) -> dict[Goal, GoalValue]:
    """Give the goals that ownership changes: machines moved, and how far all are from a fair share.

    ``closed`` shards, ``(S,)``, have no share; machines ``without``, ``(M,)``, count for nobody.
    """
    now = fleet.machines.shard.astype(np.int64)

    def unfair(owners: Ints) -> float:
        return _unfair(fleet, closed, without, owners)

    values = {
        Goal.MOVES: (0.0, float(np.count_nonzero(owner != now))),
        Goal.SHARD_BALANCE: (unfair(now), unfair(owner)),
    }
    return {
        goal: GoalValue(weights[goal], before, after, weights[goal] * after, None)
        for goal, (before, after) in values.items()
        if weights.get(goal)
    }


def _unfair(fleet: Fleet, closed: Mask, without: Mask, owner: Ints) -> float:
    shards, classes = len(fleet.shards), len(fleet.classes)
    place = fleet.machines.class_index.astype(np.int64) * shards + owner
    have = np.bincount(place[~without], minlength=classes * shards).reshape(classes, shards)
    fair = np.where(closed, 0.0, have.sum(axis=1, keepdims=True) / np.sum(~closed))
    return float(np.abs(have - fair).sum()) / 2
