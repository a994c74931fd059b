"""What a plan of ownership says beside its moves: levels, what stays short, and goals."""

from collections.abc import Mapping

import numpy as np

from models.fleet import Fleet, Ints, Mask
from models.need import MAX_COUNT
from models.plan import GoalValue, Level, Unmet
from models.rules import Goal
from models.shortfall import Reason
from models.standing import Standing


def levels_of(standing: Standing) -> tuple[Level, ...]:
    """Give every priority as the cycles left it: nobody is served by a change of owners."""
    needs = standing.fleet.needs
    served = standing.have + standing.waiting
    levels = []
    for priority in sorted({need.priority for need in needs}, reverse=True):
        rows = [row for row, need in enumerate(needs) if need.priority == priority]
        asked = min(sum(needs[row].count for row in rows), MAX_COUNT)
        serving = min(int(served[rows].sum()), asked)
        levels.append(Level(priority, asked, serving, serving))
    return tuple(levels)


def unmet_of(standing: Standing) -> tuple[Unmet, ...]:
    """Give what the cycles left short, highest priority first, with their reasons."""
    needs = standing.fleet.needs
    reasons = {shortfall.need: shortfall.reason for shortfall in standing.shortfalls}
    rows = sorted(np.flatnonzero(standing.short > 0).tolist(), key=lambda n: -needs[n].priority)
    return tuple(
        Unmet(n, int(standing.short[n]), reasons.get(n, Reason.CAPACITY_EXHAUSTED)) for n in rows
    )


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
