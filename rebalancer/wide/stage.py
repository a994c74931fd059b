"""The stage before a draft, where there are too many pairs to draw up all."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from models.distinct import sums
from models.fleet import Ints, Mask
from models.rules import Goal
from rebalancer.draft import Draft
from rebalancer.limits import Limits
from rebalancer.objective import Step
from rebalancer.problems.assignment import allowed_pairs
from rebalancer.snapshot import Snapshot
from rebalancer.wide.answer import UNKNOWN, WideAnswer, unanswered
from rebalancer.wide.drawn import Drawn, drawn
from rebalancer.wide.question import WideQuestion
from rebalancer.wide.seeds import Pairs, pairs_of
from rebalancer.wide.selection import Selection, selection

WIDE_FROM = 200_000
"""Beyond so many the greedy plan alone takes seconds: 1.4 s for 180,000, 25 s for 2.3 million."""

PAIRS_A_SECOND = 20_000
"""Pairs that may be drawn up for each second of the limit: with these the greedy plan, its names
and the judge take about a fifth of it."""

FEWEST = 2_000
"""Pairs that are always drawn up, however short the time."""

SHARE = 0.5
"""Of the time that is left, for choosing what to draw up where all would be too much."""

FIRST = 5_000
"""Pairs of a plan that is to be there at once: with these it takes 0.2 s, judged and named."""

SELECTED = 100_000
"""Pairs that are then drawn up by what looks best for each need."""


@dataclass(frozen=True, eq=False, slots=True)
class Stage:
    """What is known before anybody is asked; ``allowed`` marks pairs, ``(G, N)``."""

    snapshot: Snapshot
    allowed: Mask
    selection: Selection
    drawn: Drawn

    @property
    def question(self) -> WideQuestion:
        """Give what flows and packing are asked."""
        return self.drawn.question

    def unanswered(self) -> WideAnswer:
        """Give what is known without asking."""
        return unanswered(self.question)


def most_pairs(limits: Limits) -> int:
    """Give how many pairs can be drawn up within the limits."""
    if limits.seconds is None:
        return WIDE_FROM
    return min(WIDE_FROM, max(FEWEST, int(PAIRS_A_SECOND * limits.seconds)))


def stage_of(
    snapshot: Snapshot, weights: Mapping[Goal, float], limits: Limits, most: int | None = None
) -> Stage | None:
    """Give the stage; None where all pairs are drawn up.

    ``most`` says up to how many that is the case; None: ``most_pairs``.
    """
    most = most_pairs(limits) if most is None else most
    if len(snapshot.supply) * len(snapshot.demand) <= most:
        return None
    allowed = allowed_pairs(snapshot)
    if np.count_nonzero(allowed) <= most:
        return None
    chosen = selection(snapshot, allowed, SELECTED * most // WIDE_FROM)
    return Stage(
        snapshot,
        allowed,
        chosen,
        drawn(snapshot, allowed, chosen.hopeless, weights, limits),
    )


@dataclass(frozen=True, eq=False, slots=True)
class Answered:
    """Which pairs to draw up, and what came of a stage if there was one.

    Attributes
    ----------
    allowed, chosen
        Shape ``(G, N)``. The pairs that the rules allow; and those to draw up.
    plans
        Plans among these.
    short
        By priority, what is short of it that anything could serve.
    most
        By priority, what it and all above it gain together at most; none where it is not known.
    """

    allowed: Mask
    chosen: Mask
    plans: tuple[Pairs, ...]
    short: Mapping[int, int]
    most: Mapping[int, int]

    def with_pairs(self, group: Ints, demand: Ints) -> "Answered":
        """Give the same with these pairs drawn up too, as far as they are allowed."""
        chosen = self.chosen.copy()
        chosen[group, demand] = self.allowed[group, demand]
        return replace(self, chosen=chosen)

    def counts(self, draft: Draft) -> Iterator[Ints]:
        """Give each plan as machines per lane, ``(X,)``, of a draft of the chosen pairs."""
        lanes = draft.lanes
        demands = len(draft.snapshot.demand)
        keys = lanes.group * demands + lanes.demand
        for plan in self.plans:
            counts = np.zeros(len(lanes), dtype=np.int64)
            counts[np.searchsorted(keys, plan.group * demands + plan.demand)] = plan.count
            yield counts

    def for_all_lanes(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """Give steps whose least is not read off the chosen lanes."""
        return tuple(
            step
            if step.priority is None
            else replace(step, least=-self.short.get(step.priority, 0))
            for step in steps
        )

    def together(self, steps: tuple[Step, ...]) -> tuple[int | None, ...]:
        """Give, for each step, a bound on what it and those before come to; see ``Question``."""
        of_level = [None if s.priority is None else self.most.get(s.priority) for s in steps]
        return tuple(None if most is None else -most for most in of_level)


def first_of(snapshot: Snapshot, most: int = FIRST) -> Answered | None:
    """Choose few pairs, for a plan that is there at once; None where there are hardly more."""
    if len(snapshot.supply) * len(snapshot.demand) <= 2 * most:
        return None
    allowed = allowed_pairs(snapshot)
    if np.count_nonzero(allowed) <= 2 * most:
        return None
    chosen = selection(snapshot, allowed, most).chosen
    demand = snapshot.demand
    may_gain = allowed.any(axis=0) & ~demand.migrates
    short: Counter[int] = Counter()
    machines = int(snapshot.supply.count.sum())
    for priority, lacks in zip(
        demand.priority[may_gain].tolist(), demand.short[may_gain].tolist(), strict=True
    ):
        short[priority] += min(lacks, machines)
    return Answered(allowed, chosen, (), short, {})


def answered(stage: Stage, said: WideAnswer) -> Answered:
    """Take an answer as far as it makes sense: a pair that is not allowed spoils its plan."""
    chosen = stage.selection.chosen.copy()
    plans = []
    for seed in said.seeds:
        pairs = pairs_of(stage.snapshot, stage.drawn, seed)
        if stage.allowed[pairs.group, pairs.demand].all():
            chosen[pairs.group, pairs.demand] = True
            plans.append(pairs)
    wanted, priorities = stage.question.everybody.wanted, stage.question.everybody.priorities
    # No more than there are machines, so that the largest counts there are can be added up.
    machines = int(stage.snapshot.supply.count.sum())
    short = sums(wanted.level, np.minimum(wanted.short, machines), len(priorities))
    known = zip(priorities.tolist(), said.most.tolist(), strict=True)
    return Answered(
        stage.allowed,
        chosen,
        tuple(plans),
        dict(zip(priorities.tolist(), short.tolist(), strict=True)),
        {priority: most for priority, most in known if most != UNKNOWN},
    )
