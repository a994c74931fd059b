"""Bounds for questions of any size: each step over the network of the question's caps.

What a network leaves out only ever bound the counts, and a feature of an objective is never below

    w Flag    0; or w where w < 0;  spread over its lanes, w / (largest sum) a machine, where w > 0
    w Peak    its lines, each by a weight of at least 0, w in all (``lines``)
    w Bins    w / size a machine

so a step is least over the network at no more than over the question. The bound is not the
solver's word but sums of our own (``flows.proof``), sound for whatever it answers.

Where a step reaches its bound, the steps after it are asked over the plans that do, which are again
a circulation. Where it does not, its value v is held by a price in the objective: as f(x) <= v,

    g(x)  >=  g(x) + price (f(x) - v)        price = the largest cost of one machine in g

A flow of whole machines that breaks no other limit is a plan, and taken if it is better.
"""

from dataclasses import dataclass, replace

import numpy as np

from models.fleet import Ints
from rebalancer.flows.cheapest import cheapest
from rebalancer.flows.lexicographic import LARGEST_PRODUCT, SWEEPS, weighed
from rebalancer.flows.proof import Face, dot, potentials, reduced_costs
from rebalancer.search.best import Best
from rebalancer.search.budget import Budget
from rebalancer.search.lines import Lines
from rebalancer.search.nested_caps import NestedCaps, nested_caps_of
from rebalancer.search.part import Parts
from rebalancer.terms import Bins, Expression, Flag, Peak

TRIAL_SWEEPS = 24
"""Enough to prove a flow that is optimal by luck, and little lost where it is not."""

PASSES = 4

WEIGHINGS, FIRST_STEP, SHORTER = 40, 1.0, 0.8
"""Weights on lines that are tried at most, how far to go between two of them, and by how much less
after one that bounds no better."""

WORK_OF_ARC = 2e-7
"""Work that a flow counts for, an arc: 0.3 s for 200,000 of them."""

WEIGHING = 0.2
"""Share of what is left that weights may use."""


def pour(best: Best, budget: Budget) -> None:
    """Improve the counts of the lanes that no gang, spread or bins tie, the others held.

    What is left over them is a flow, but for the features.
    """
    parts = Parts(best.question)
    free = np.flatnonzero(np.diff(parts.ties.lane_starts) == 0)
    if not 0 < len(free) < len(best.counts):
        return
    part_budget = Budget(budget.left())
    part = Best(replace(parts.part(free, best.counts, part_budget.limits), singles=()))
    relax(part, part_budget, passes=1, weighings=0)
    budget.work += part_budget.work
    counts = best.counts.copy()
    counts[free] = part.counts
    if best.take(counts):
        best.tell()


def relax(best: Best, budget: Budget, *, passes: int = PASSES, weighings: int = WEIGHINGS) -> None:
    """Prove what the network proves, and take its flows where they are better plans.

    All steps are asked anew up to so many times where a flow was a better plan; ``weighings`` are
    the weights on lines that are tried at most for the last step.
    """
    network = nested_caps_of(best.question.shape)
    for _ in range(passes):
        before = best.values
        _Descent(best, network, budget, weighings).run()
        best.tell()
        if best.values == before or best.is_proven or budget.is_spent:
            return


@dataclass(frozen=True, eq=False, slots=True)
class Below:
    """``constant + per_lane @ x``, nowhere above an expression."""

    per_lane: Ints
    constant: int


def below(expression: Expression, lines: Lines, weights: Ints, most: Ints) -> Below:
    """Give a linear function below an expression, by weights, ``(L,)``, on the lines of its peaks.

    ``most``, ``(X,)``, is the largest count of each lane.
    """
    per_lane, constant = lines.linear(weights, len(most))
    per_lane += expression.per_lane
    for factor, feature in expression.features:
        match feature:
            case Flag() if factor < 0:
                constant += factor
            case Flag():
                reach = int(most[feature.lanes].sum())
                per_lane[feature.lanes] += factor // reach if reach else 0
            case Bins():
                per_lane[feature.lanes] += factor // feature.size
            case Peak():
                # Among the lines.
                pass
    return Below(per_lane, constant)


class _Descent:
    """One way down the steps, from the best counts as they are."""

    def __init__(self, best: Best, network: NestedCaps, budget: Budget, weighings: int) -> None:
        self._best, self._network, self._budget = best, network, budget
        self._weighings = weighings
        most = network.arcs.most
        self._face = Face(network.arcs, np.zeros(len(most), dtype=np.int64), most)
        self._flow = network.flow(best.counts)
        self._below = [self._linear(step.expression) for step in best.question.steps]
        # What was held by a price: the function, and the value it does not exceed.
        self._held: list[tuple[Below, int]] = []

    def run(self) -> None:
        """Bound step after step, until a flow changes what an earlier one was held at."""
        best = self._best
        last = len(self._below) - 1
        for number, linear in enumerate(self._below):
            if self._budget.is_spent:
                return
            before = best.values[:number]
            if number == last:
                self._bound_singles()
            bound, reduced = self._bound(linear, self._below[number + 1 :])
            if best.values[:number] != before:
                return
            best.prove(number, bound)
            if number == last and bound < best.values[number]:
                self._weigh(best.question.steps[number].expression)
            elif bound == best.values[number]:
                self._face = self._face.optimal(reduced)
                if not self._face.holds(self._flow):
                    self._flow = self._network.flow(best.counts)
            else:
                self._held.append((linear, best.values[number]))

    def _bound(self, linear: Below, later: list[Below]) -> tuple[int, Ints]:
        """Give a bound on a step, and the reduced costs of the arcs, ``(A,)``, that prove it."""
        price = max(1, int(np.abs(linear.per_lane).max(initial=0)))
        per_lane, offset = linear.per_lane, linear.constant
        for held, value in self._held:
            per_lane = per_lane + price * held.per_lane
            offset += price * (held.constant - value)
        cost = self._network.cost(per_lane)
        proof = self._proof(cost, TRIAL_SWEEPS)
        if later and proof[0] < dot(cost, self._flow):
            costs = [cost, *(self._network.cost(other.per_lane) for other in later)]
            self._solve(weighed(self._network.arcs, costs))
            proof = self._proof(cost, TRIAL_SWEEPS)
        if proof[0] < dot(cost, self._flow):
            self._solve(cost)
            proof = self._proof(cost, SWEEPS)
        bound, reduced = proof
        return bound + offset, reduced

    def _proof(self, cost: Ints, sweeps: int) -> tuple[int, Ints]:
        potential = potentials(self._face, self._flow, cost, sweeps)
        reduced = reduced_costs(self._face.arcs, cost, potential)
        return self._face.bound(reduced), reduced

    def _solve(self, cost: Ints) -> None:
        """Ask for a flow of least cost; take it as a plan where it is a better one."""
        face = self._face
        # Products beyond the solver's numbers: a coarser cost, whose flow proves a little less.
        coarse = max(1, int(np.abs(cost).max(initial=0)) * face.arcs.nodes // LARGEST_PRODUCT + 1)
        self._budget.work += WORK_OF_ARC * len(cost)
        flow = cheapest(face.arcs, face.least, face.most, cost // coarse)
        if flow is not None and face.holds(flow):
            self._flow = flow
            if self._best.take(flow[: self._network.lanes]):
                self._best.tell()

    def _bound_singles(self) -> None:
        best, flow = self._best, self._flow
        before = best.values[:-1]
        found = []
        for single in best.question.singles:
            bound, _ = self._bound(self._linear(single), [])
            found.append(min(bound, single.value(best.counts)))
            self._flow = flow
        if best.values[:-1] == before:
            best.singles = tuple(found)

    def _linear(self, expression: Expression) -> Below:
        lines = Lines.of(expression)
        weights = lines.highest(self._best.counts)
        return below(expression, lines, weights, self._best.question.shape.most)

    def _weigh(self, expression: Expression) -> None:
        """Look for weights on the lines of the last step that bound it better."""
        best, most = self._best, self._best.question.shape.most
        lines = Lines.of(expression)
        weights = lines.highest(best.counts)
        before, budget = best.values[:-1], Budget(self._budget.left(WEIGHING))
        work = self._budget.work
        step, highest = FIRST_STEP, best.bounds[-1]
        for _ in range(self._weighings if len(lines) else 0):
            counts = self._flow[: self._network.lanes]
            weights = lines.moved(weights, counts, int(step * (best.values[-1] - highest)))
            bound, _ = self._bound(below(expression, lines, weights, most), [])
            if best.values[:-1] != before:
                return
            best.prove(len(best.bounds) - 1, bound)
            budget.work = self._budget.work - work
            if bound <= highest:
                step *= SHORTER
            highest = max(highest, bound)
            if best.is_proven or budget.is_spent:
                return
