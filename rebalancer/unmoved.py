"""The plan that moves nothing: what stands where there was no time for any other."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from models.outcome import Outcome
from models.plan import Plan
from models.rules import Goal
from models.standing import Standing
from rebalancer.digest import digest_of, settings_digest
from rebalancer.levels import levels_of, unmet_of
from rebalancer.limits import Limits
from rebalancer.transfer_rules import TransferRules


def unmoved(
    standing: Standing,
    rules: TransferRules,
    goals: Mapping[Goal, float],
    limits: Limits,
    most_gained: Mapping[int, int],
) -> Plan:
    """Give the plan, as FALLBACK: what cycles have ordered stands, and the goals are not weighed.

    ``most_gained`` is by priority what any plan could gain; see ``lacking``.
    """
    nothing = np.zeros(len(standing.fleet.needs), dtype=np.int64)
    return Plan(
        snapshot=digest_of(standing, rules, None),
        settings=settings_digest(rules, goals, limits),
        seed=limits.seed,
        outcome=Outcome.FALLBACK,
        levels=levels_of(standing, nothing, most_gained),
        moves=(),
        unmet=unmet_of(standing, nothing),
        displaced=(),
        goals={},
        conflicts=(),
        seconds=0.0,
    )


def lacking(standing: Standing) -> Counter[int]:
    """Give what the needs of each priority lack together: nobody can gain more."""
    lacks: Counter[int] = Counter()
    for need, short in zip(standing.fleet.needs, standing.short.tolist(), strict=True):
        lacks[need.priority] += short
    return lacks
