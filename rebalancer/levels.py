"""What each priority level has after a plan, and the most that it could have."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from models.fleet import Ints
from models.need import MAX_COUNT
from models.plan import Level
from rebalancer.draft import Draft


def levels_of(draft: Draft, counts: Ints, most_gained: Mapping[int, int]) -> tuple[Level, ...]:
    """Give every priority of the fleet, highest first.

    ``most_gained`` is, for the priorities at which the plan could change anything, a proven upper
    bound on what the level can gain. What drains for a need already counts as serving it, as
    what this plan drains for one does.
    """
    standing = draft.snapshot.standing
    asked: Counter[int] = Counter()
    served: Counter[int] = Counter()
    for row, need in enumerate(standing.fleet.needs):
        asked[need.priority] += need.count
        served[need.priority] += int(standing.have[row] + standing.waiting[row])
    now = served.copy()
    needs = standing.fleet.needs
    used, victims = np.flatnonzero(counts), draft.victims()
    gains = draft.snapshot.demand.priority[draft.lanes.demand[used]].tolist()
    rows = zip(gains, victims[used].tolist(), counts[used].tolist(), strict=True)
    for gain, victim, machines in rows:
        served[gain] += machines
        if victim >= 0:
            served[needs[victim].priority] -= machines
    return tuple(
        Level(
            priority,
            min(asked[priority], MAX_COUNT),
            min(served[priority], asked[priority], MAX_COUNT),
            min(asked[priority], now[priority] + most_gained.get(priority, 0), MAX_COUNT),
        )
        for priority in sorted(asked, reverse=True)
    )
