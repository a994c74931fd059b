"""The first rule that does not let a need have some machines.

Rules on single machines and on pairs are read off in the order below; what a rule on counts forbids
shows when the limits are laid on rule after rule, until no plan keeps the condition. A pin, or a
cluster in shadow mode, comes before all others: it is why its machines are not available.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, assert_never

import numpy as np

from hotpath.plain.rules.fits import fits
from hotpath.plain.rules.matches import matches
from models.fleet import Ints, Mask
from models.rules import Rule
from rebalancer.draft import Limit, Shape, nothing
from rebalancer.instead.case import Case
from rebalancer.instead.condition import Condition
from rebalancer.question import Question
from rebalancer.rules.catalogue import PAIR_RULES, CountRule
from rebalancer.rules.domain import domain
from rebalancer.rules.floor import floor
from rebalancer.rules.machines import MACHINE_RULES
from rebalancer.rules.max_moves import max_moves
from rebalancer.rules.migration import migration
from rebalancer.rules.once import once
from rebalancer.rules.route import route
from rebalancer.rules.spread import spread
from rebalancer.rules.wanted import wanted
from rebalancer.snapshot import Snapshot

NOWHERE = -1


class Bar(StrEnum):
    """What makes a plan a plan, beside the rules. The value is what a person reads."""

    ROUTE = "of its own shard: what a need that is no gang gets there is its cycle's to decide"
    MAX_MOVES = "the plan may not move so many machines"
    MIGRATION = "a gang that moves, or stays, leaves its machines to others"


OnMachines = Literal[
    Rule.UNTOUCHED, Rule.AVAILABLE, Rule.MATCHES, Rule.FITS, Rule.PRICE_KNOWN, Rule.PRIORITY,
    Rule.KEEPS_OWN, Bar.ROUTE,
]  # fmt: skip
OnCounts = Literal[Rule.DOMAIN, Rule.SPREAD, Rule.FLOOR, Bar.MAX_MOVES, Bar.MIGRATION]
Bars = Literal[OnMachines, OnCounts]

ORDER: tuple[OnMachines, ...] = (
    Rule.UNTOUCHED, Rule.AVAILABLE, Rule.MATCHES, Rule.FITS, Rule.PRICE_KNOWN, Rule.PRIORITY,
    Rule.KEEPS_OWN, Bar.ROUTE,
)  # fmt: skip
"""What is decided on machines and pairs; one that waits too long to be ready is not available."""

LAID: tuple[tuple[OnCounts, tuple[CountRule, ...]], ...] = (
    (Rule.DOMAIN, (once, wanted, domain)),
    (Rule.SPREAD, (spread,)),
    (Rule.FLOOR, (floor,)),
    (Bar.MAX_MOVES, (max_moves,)),
    (Bar.MIGRATION, (migration,)),
)
"""What is decided on counts, in the order in which it is laid on.

A gang that finds too few machines, each once and no more than it lacks, has no domain.
"""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a need may not have machines that it was to have.

    Attributes
    ----------
    bar
        The rule; of several machines, that of the one which came furthest in ``ORDER``.
    machine
        Row of the first machine that it refuses; None where it refuses no single one.
    counts
        Machines by the first rule that refuses each.
    """

    bar: Bars
    machine: int | None
    counts: Mapping[Bars, int]


def refused_at_once(snapshot: Snapshot, demand: int, machines: Mask) -> Refusal | None:
    """Give why none of the machines marked, ``(M,)``, may go to a demand; None where one may."""
    rows = np.flatnonzero(machines)
    verdict = first_bar(snapshot, demand)[rows]
    if not len(rows) or (verdict == NOWHERE).any():
        return None
    furthest = int(verdict.max())
    codes, counts = np.unique(verdict, return_counts=True)
    of_bar = rows[verdict == furthest]
    first = of_bar[np.argmin(snapshot.fleet.machines.id_rank[of_bar])]
    by_bar = zip((ORDER[code] for code in codes.tolist()), counts.tolist(), strict=True)
    return Refusal(ORDER[furthest], int(first), dict(by_bar))


def first_bar(snapshot: Snapshot, demand: int) -> Ints:
    """Give for each machine the place in ``ORDER`` of what bars it, -1 where nothing, ``(M,)``."""
    verdict = np.full(len(snapshot.fleet.machines), NOWHERE, dtype=np.int64)
    for code, bar in reversed([*enumerate(ORDER)]):
        verdict[~_passes(snapshot, demand, bar)] = code
    return verdict


def refused_together(case: Case, condition: Condition) -> OnCounts | None:
    """Give the rule on counts with which no plan meets the condition any more.

    None where all rules together let one be, or where it was not found out.
    """
    draft = case.draft
    limits: list[Limit] = []
    for bar, rules in LAID:
        for rule in rules:
            limits.extend(rule(draft.snapshot, draft.lanes))
        shape = Shape(draft.lanes.most, tuple(limits))
        asked = Question(shape, (condition.step(draft),), (), nothing(draft), case.limits)
        if case.ask(asked).bounds[0] > 0:
            return bar
    return None


def _passes(snapshot: Snapshot, demand: int, bar: OnMachines) -> Mask:
    """Mark the machines, ``(M,)``, that one rule lets go to the demand."""
    fleet, need = snapshot.fleet, snapshot.fleet.needs[int(snapshot.demand.need[demand])]
    match bar:
        case Rule.MATCHES:
            labels = snapshot.matching.labels
            return matches(labels, need, snapshot.rules.bootstrap_keys)[fleet.machines.cell]
        case Rule.FITS:
            return fits(fleet, need)[fleet.machines.cell]
        case Rule.AVAILABLE:
            in_time = _of_groups(snapshot, snapshot.eligible[:, demand])
            return MACHINE_RULES[Rule.AVAILABLE](snapshot.standing) & (
                in_time | ~_matching(snapshot, demand)
            )
        case Bar.ROUTE:
            return _of_groups(snapshot, route(snapshot)[:, demand])
        case Rule.PRIORITY | Rule.KEEPS_OWN as rule:
            return _of_groups(snapshot, PAIR_RULES[rule](snapshot)[:, demand])
        case Rule.UNTOUCHED | Rule.PRICE_KNOWN as rule:
            return MACHINE_RULES[rule](snapshot.standing)
        case _:
            assert_never(bar)


def _matching(snapshot: Snapshot, demand: int) -> Mask:
    """Mark the machines, ``(M,)``, with the labels and resources that the demand asks for."""
    need = snapshot.fleet.needs[int(snapshot.demand.need[demand])]
    mask: Mask = snapshot.matching.eligible(need)[snapshot.fleet.machines.cell]
    return mask


def _of_groups(snapshot: Snapshot, passes: Mask) -> Mask:
    """Mark the machines, ``(M,)``, whose group is marked, ``(G,)``; those of no group pass."""
    mask = np.ones(len(snapshot.fleet.machines), dtype=np.bool_)
    for group in np.flatnonzero(~passes).tolist():
        mask[snapshot.supply.machines[group]] = False
    return mask
