"""Every hard rule by name, in the order of ``models.rules.Rule``, and where it works."""

from collections.abc import Callable, Iterator

from models.fleet import Mask
from models.rules import Rule
from rebalancer.draft import Lanes, Limit
from rebalancer.rules.domain import domain
from rebalancer.rules.eligible import eligible
from rebalancer.rules.floor import floor
from rebalancer.rules.keeps_own import keeps_own
from rebalancer.rules.machines import MACHINE_RULES, MachineRule
from rebalancer.rules.max_moves import max_moves
from rebalancer.rules.migration import migration
from rebalancer.rules.once import once
from rebalancer.rules.priority import priority
from rebalancer.rules.route import route
from rebalancer.rules.spread import spread
from rebalancer.rules.wanted import wanted
from rebalancer.snapshot import Snapshot

PairRule = Callable[[Snapshot], Mask]
CountRule = Callable[[Snapshot, Lanes], Iterator[Limit]]

PAIR_RULES: dict[Rule, PairRule] = {
    Rule.MATCHES: eligible,
    Rule.FITS: eligible,
    Rule.PRIORITY: priority,
    Rule.KEEPS_OWN: keeps_own,
}

COUNT_RULES: dict[Rule, CountRule] = {
    Rule.DOMAIN: domain,
    Rule.SPREAD: spread,
    Rule.FLOOR: floor,
}

_BY_NAME: dict[Rule, MachineRule | PairRule | CountRule] = {
    **MACHINE_RULES,
    **PAIR_RULES,
    **COUNT_RULES,
}

LEFT_TO_THE_SHARD = frozenset({Rule.SPOT_SHARE})
"""Rules about buying, which a transfer is not: the receiver's own cycle keeps them."""

HARD_RULES = {rule: _BY_NAME[rule] for rule in Rule if rule not in LEFT_TO_THE_SHARD}

PLAN_PAIRS: tuple[PairRule, ...] = (route,)
PLAN_COUNTS: tuple[CountRule, ...] = (once, wanted, max_moves, migration)
"""What makes a plan a plan, beside the rules that all decisions share."""
