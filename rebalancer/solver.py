"""CP-SAT behind its door: the only file that knows it, and none of its words leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isfinite
from typing import TYPE_CHECKING

import numpy as np

from models.fleet import Ints
from rebalancer.draft import Cap, Choice, Relocation, Shape, Skew
from rebalancer.limits import Limits
from rebalancer.terms import Bins, Expression, Feature, Flag, Peak

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

NO_BOUND = 2.0**60
"""What the solver calls a bound of this size is none."""


@dataclass(frozen=True, eq=False, slots=True)
class Answer:
    """Counts of machines per lane, None where none were found; a proven lower bound; work done."""

    counts: Ints | None
    bound: int | None
    work: float


OnAnswer = Callable[[Answer], None]
"""Told of every plan on the way to the last one, its bound so far with it."""


def load() -> None:
    """Load OR-Tools ahead of the first model: that takes about a second."""
    import ortools.sat.python.cp_model  # noqa: F401


class Solver:
    """One model of a draft, minimised again and again while ever more is held."""

    def __init__(self, shape: Shape) -> None:
        # Here and not above: the import takes about a second, and many rounds need no solver.
        from ortools.sat.python import cp_model

        self._shape = shape
        self._cp = cp_model
        self._model = cp_model.CpModel()
        self._lanes = [self._count(int(most)) for most in shape.most]
        self._features: list[tuple[cp_model.IntVar, Feature]] = []
        self._flags: dict[bytes, cp_model.IntVar] = {}
        self._heights: dict[int, cp_model.IntVar] = {}
        self._exact: set[int] = set()
        for limit in shape.limits:
            match limit:
                case Cap():
                    self._add_cap(limit)
                case Choice():
                    self._add_choice(limit)
                case Skew():
                    self._add_skew(limit)
                case Relocation():
                    self._add_relocation(limit)

    def hold(self, expression: Expression, value: int) -> None:
        """Allow from now on only plans whose expression is at most ``value``."""
        self._model.add(self._linear(expression) <= value)

    def minimise(
        self,
        expression: Expression,
        start: Ints,
        limits: Limits,
        on_answer: OnAnswer | None = None,
    ) -> Answer:
        """Minimise an expression within the limits, looking at ``start`` first."""
        self._model.minimize(self._linear(expression))
        self._hint(start)
        solver = self._cp.CpSolver()
        solver.parameters.num_workers = limits.workers
        solver.parameters.random_seed = limits.seed
        # Its handler ends the search as if all were well, and the process where the signal reaches
        # a thread that does not solve, such as one of numpy's.
        solver.parameters.catch_sigint_signal = False
        # All of the model in the relaxation: it is nearly a flow, where that is nearly exact. Of
        # 6,456 lanes the costs were proven in 14 s, against 2% left open after that time without.
        solver.parameters.linearization_level = 2
        if limits.seconds is not None:
            solver.parameters.max_time_in_seconds = limits.seconds
        if limits.work is not None:
            solver.parameters.max_deterministic_time = limits.work
        status = solver.solve(self._model, self._listener(on_answer) if on_answer else None)
        if status == self._cp.MODEL_INVALID:
            raise ValueError(self._model.validate())
        counts = None
        if status in (self._cp.OPTIMAL, self._cp.FEASIBLE):
            counts = np.array([solver.value(lane) for lane in self._lanes], dtype=np.int64)
        known = status != self._cp.INFEASIBLE
        bound = _whole(solver.best_objective_bound) if known else None
        return Answer(counts, bound, solver.deterministic_time)

    def _listener(self, on_answer: OnAnswer) -> cp_model.CpSolverSolutionCallback:
        """Give the solver's words for a function to be told."""
        lanes = len(self._lanes)

        class Listener(self._cp.CpSolverSolutionCallback):  # type: ignore[name-defined,misc]
            def on_solution_callback(self) -> None:
                # The lanes are the first variables of the model.
                counts = np.fromiter(self.response_proto.solution, np.int64, count=lanes)
                on_answer(Answer(counts, _whole(self.best_objective_bound), 0.0))

        return Listener()

    def _count(self, most: int) -> cp_model.IntVar:
        return self._model.new_int_var(0, most, "")

    def _flag(self) -> cp_model.IntVar:
        return self._model.new_bool_var("")

    def _sum(self, lanes: Ints) -> cp_model.LinearExprT:
        return self._cp.LinearExpr.sum([self._lanes[lane] for lane in lanes.tolist()])

    def _most(self, lanes: Ints) -> int:
        return int(self._shape.most[lanes].sum())

    def _add_cap(self, cap: Cap) -> None:
        """Sum <= most; left out where it says nothing, for its number may be beyond 64 bits."""
        if self._most(cap.lanes) > cap.most:
            self._model.add(self._sum(cap.lanes) <= cap.most)

    def _add_choice(self, choice: Choice) -> None:
        """For each option o: sum of x = amount * z_o; sum of z <= 1."""
        flags = [self._flag() for _ in choice.options]
        for flag, option in zip(flags, choice.options, strict=True):
            self._model.add(self._sum(option) == choice.amount * flag)
            self._know_flag(Flag(option), flag)
        self._model.add_at_most_one(flags)

    def _add_skew(self, skew: Skew) -> None:
        """Least total m: total <= m + skew where something arrives, m <= total where one counts."""
        places = [skew.lanes[skew.place == at] for at in range(len(skew.held))]
        totals = [
            self._sum(lanes) + int(held) for lanes, held in zip(places, skew.held, strict=True)
        ]
        reach = int(skew.held.max(initial=0)) + self._most(skew.lanes)
        least = self._count(reach)
        for at, total in enumerate(totals):
            arrives = self._flag()
            for lane in places[at].tolist():
                self._model.add(self._lanes[lane] == 0).only_enforce_if(~arrives)
            self._model.add(total <= least + skew.skew).only_enforce_if(arrives)
            if skew.known[at]:
                self._model.add(least <= total)
            elif len(skew.openers[at]):
                opened = self._flag()
                for lane in skew.openers[at].tolist():
                    self._model.add(self._lanes[lane] == 0).only_enforce_if(~opened)
                self._model.add(least <= total).only_enforce_if(opened)

    def _add_relocation(self, move: Relocation) -> None:
        """Whether it moves m = sum of h_t over takers t, one of whom then has all: amount * h_t."""
        moves = self._flag()
        self._model.add(self._sum(move.moving) == move.amount * moves)
        self._know_flag(Flag(move.moving), moves)
        inherits = [self._flag() for _ in move.takers]
        self._model.add(self._cp.LinearExpr.sum(inherits) == moves)
        for lanes, flag, is_heir, may_evict in zip(
            move.takers, inherits, move.heirs.tolist(), move.evictors.tolist(), strict=True
        ):
            taken = self._sum(lanes)
            self._model.add(taken >= move.amount * flag)
            self._model.add(taken <= move.amount * (flag + (1 - moves if may_evict else 0)))
            if not is_heir:
                self._model.add(flag == 0)

    def _linear(self, expression: Expression) -> cp_model.LinearExprT:
        """Give an expression over the model's variables, adding those it needs."""
        lanes = np.flatnonzero(expression.per_lane)
        variables = [self._lanes[lane] for lane in lanes.tolist()]
        factors = expression.per_lane[lanes].tolist()
        for factor, feature in expression.features:
            match feature:
                case Flag():
                    variables.append(self._flag_of(feature, is_wanted=factor < 0))
                case Bins() | Peak():
                    if factor < 0:
                        raise ValueError(f"{feature} cannot be weighed at {factor}, below 0.")
                    variables.append(self._height(feature))
            factors.append(factor)
        return self._cp.LinearExpr.weighted_sum(variables, factors)

    def _flag_of(self, feature: Flag, *, is_wanted: bool) -> cp_model.IntVar:
        """Give a variable that is 1 where a machine goes; where it is wanted, only there."""
        key = feature.lanes.tobytes()
        if key not in self._flags:
            flag = self._flag()
            for lane in feature.lanes.tolist():
                self._model.add(self._lanes[lane] <= int(self._shape.most[lane]) * flag)
            self._know_flag(feature, flag)
        flag = self._flags[key]
        if is_wanted and flag.index not in self._exact:
            self._exact.add(flag.index)
            self._model.add(flag <= self._sum(feature.lanes))
        return flag

    def _know_flag(self, feature: Flag, flag: cp_model.IntVar) -> None:
        self._flags[feature.lanes.tobytes()] = flag
        self._features.append((flag, feature))

    def _height(self, feature: Bins | Peak) -> cp_model.IntVar:
        """Give a variable that is at least the feature."""
        known = self._heights.get(id(feature))
        if known is not None:
            return known
        match feature:
            case Bins():
                height = self._count(feature.farthest(self._shape.most))
                self._model.add(self._sum(feature.lanes) <= feature.size * height)
            case Peak():
                least, largest = feature.range(self._shape.most)
                height = self._model.new_int_var(least, largest, "")
                for line in feature.lines:
                    lanes = [self._lanes[lane] for lane in line.lanes.tolist()]
                    factors = [1, *(-line.slopes).tolist()]
                    above = self._cp.LinearExpr.weighted_sum([height, *lanes], factors)
                    self._model.add(above >= line.offset)
        # The list of features keeps it, so that no other is ever given its id.
        self._features.append((height, feature))
        self._heights[id(feature)] = height
        return height

    def _hint(self, counts: Ints) -> None:
        """Show the solver a plan, with the variables that follow from it."""
        self._model.clear_hints()  # type: ignore[no-untyped-call]
        for lane, count in zip(self._lanes, counts.tolist(), strict=True):
            self._model.add_hint(lane, count)
        for variable, feature in self._features:
            self._model.add_hint(variable, feature.value(counts))


def _whole(bound: float) -> int | None:
    """Round a bound up, as values are whole; None where it says nothing."""
    # A millionth: the solver keeps whole objectives in floats.
    return ceil(bound - 1e-6) if isfinite(bound) and abs(bound) < NO_BOUND else None
