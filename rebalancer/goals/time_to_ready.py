"""Goal: seconds until the moved machines can be configured for their new need, summed.

    sum over created machines of expected ready seconds  +  sum over evicted ones of drain seconds

Idle machines, and those that serve nobody, are ready at once.
"""

from rebalancer.draft import Draft
from rebalancer.terms import Terms


def time_to_ready(draft: Draft) -> Terms:
    """Give the goal, in machine-seconds."""
    return Terms(draft.snapshot.supply.ready_seconds[draft.lanes.group])
