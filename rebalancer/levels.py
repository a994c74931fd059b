"""What each priority level has after a plan, the most it could have, and which needs stay short."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from models.distinct import sums
from models.fleet import Ints
from models.need import MAX_COUNT
from models.plan import Level, Unmet
from models.shortfall import Reason
from models.standing import Standing


def levels_of(
    standing: Standing, change: Ints, most_gained: Mapping[int, int]
) -> tuple[Level, ...]:
    """Give every priority of the fleet, highest first.

    ``change``, ``(N,)``, is what each need gains less what it loses. ``most_gained`` is, for the
    priorities at which the plan could change anything, a proven upper bound on what the level can
    gain. What drains for a need already counts as serving it, as what this plan drains for one
    does.
    """
    needs = standing.fleet.needs
    # Counts go up to the largest integer of 64 bits, so their sums are Python's.
    asked: Counter[int] = Counter()
    for need in needs:
        asked[need.priority] += need.count
    column = np.array([need.priority for need in needs], dtype=np.int64)
    priorities, level = np.unique(column, return_inverse=True)
    now = standing.have + standing.waiting
    before = sums(level, now, len(priorities)).tolist()
    after = sums(level, now + change, len(priorities)).tolist()
    levels = []
    for priority, had, has in zip(priorities.tolist(), before, after, strict=True):
        wanted = min(asked[priority], MAX_COUNT)
        most = had + most_gained.get(priority, 0)
        levels.append(Level(priority, wanted, min(has, wanted), min(most, wanted)))
    return tuple(reversed(levels))


def unmet_of(standing: Standing, gained: Ints) -> tuple[Unmet, ...]:
    """Give what stays short, highest priority first, with the reason the need's own cycle gave.

    ``gained``, ``(N,)``, is what each need gets.
    """
    needs, left = standing.fleet.needs, standing.short - gained
    reasons = {shortfall.need: shortfall.reason for shortfall in standing.shortfalls}
    order = sorted(np.flatnonzero(left > 0).tolist(), key=lambda need: -needs[need].priority)
    return tuple(
        Unmet(need, int(left[need]), reasons.get(need, Reason.CAPACITY_EXHAUSTED)) for need in order
    )
