"""CP-SAT behind its door: the only file that knows it, and none of its words leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from models.fleet import Ints
from rebalancer.draft import Cap, Choice, Relocation, Shape, Skew
from rebalancer.limits import Limits
from rebalancer.terms import Bins, Expression, Feature, Flag, Peak

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

SMALLEST, LARGEST = -(2**63), 2**63 - 1
"""Ends of a domain that mean none."""

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
        self._add_variables(shape.most.tolist())
        self._features: list[tuple[int, Feature]] = []
        self._flags: dict[bytes, int] = {}
        self._heights: dict[int, int] = {}
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
        variables, factors = self._linear(expression)
        self._add(variables, factors, most=value)

    def minimise(
        self,
        expression: Expression,
        start: Ints,
        limits: Limits,
        on_answer: OnAnswer | None = None,
    ) -> Answer:
        """Minimise an expression within the limits, looking at ``start`` first."""
        variables, factors = self._linear(expression)
        objective = self._model.proto.objective
        _put(objective.vars, variables)
        _put(objective.coeffs, factors)
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
        try:
            status = solver.solve(self._model, self._listener(on_answer) if on_answer else None)
        except IndexError:
            # A look-up inside the solver that fails (absl::btree_map::at), seen on a sound model of
            # 38 variables with little work allowed: no answer, and nothing lost.
            return Answer(None, None, limits.work or 0.0)
        if status == self._cp.MODEL_INVALID:
            raise ValueError(self._model.validate())
        counts = None
        if status in (self._cp.OPTIMAL, self._cp.FEASIBLE):
            counts = _first(solver.response_proto.solution, len(self._shape))
        known = status != self._cp.INFEASIBLE
        bound = _whole(solver.best_objective_bound) if known else None
        return Answer(counts, bound, solver.deterministic_time)

    def _listener(self, on_answer: OnAnswer) -> cp_model.CpSolverSolutionCallback:
        """Give the solver's words for a function to be told."""
        lanes = len(self._shape)

        class Listener(self._cp.CpSolverSolutionCallback):  # type: ignore[name-defined,misc]
            def on_solution_callback(self) -> None:
                counts = _first(self.response_proto.solution, lanes)
                on_answer(Answer(counts, _whole(self.best_objective_bound), 0.0))

        return Listener()

    def _add_variables(self, most: Sequence[int], least: int = 0) -> int:
        """Add variables from ``least`` to each of ``most``; give the number of the first."""
        # Written to the model as it will be read: by way of objects for variables and expressions
        # an objective over 50,000 lanes took 0.4 s and a hint another 0.4, not 0.01 and 0.05.
        variables = self._model.proto.variables
        first = len(variables)
        for end in most:
            variables.add().domain.extend((least, end))
        return first

    def _add(
        self,
        variables: Sequence[int] | Ints,
        factors: Sequence[int] | Ints,
        *,
        least: int = SMALLEST,
        most: int = LARGEST,
        only_if: int | None = None,
    ) -> None:
        """Add ``least <= sum of factors x variables <= most``, where a literal holds if given."""
        constraint = self._model.proto.constraints.add()
        if only_if is not None:
            constraint.enforcement_literal.append(only_if)
        # Lists: numpy's numbers are read one by one, three times slower.
        constraint.linear.vars.extend(np.asarray(variables).tolist())
        constraint.linear.coeffs.extend(np.asarray(factors).tolist())
        constraint.linear.domain.extend((least, most))

    def _flag(self) -> int:
        return self._add_variables([1])

    def _most(self, lanes: Ints) -> int:
        return int(self._shape.most[lanes].sum())

    def _add_cap(self, cap: Cap) -> None:
        """Sum <= most; left out where it says nothing, for its number may be beyond 64 bits."""
        if self._most(cap.lanes) > cap.most:
            self._add(cap.lanes, np.ones_like(cap.lanes), most=cap.most)

    def _add_choice(self, choice: Choice) -> None:
        """For each option o: sum of x = amount * z_o; sum of z <= 1."""
        flags = [self._flag() for _ in choice.options]
        for flag, option in zip(flags, choice.options, strict=True):
            factors = [*[1] * len(option), -choice.amount]
            self._add([*option.tolist(), flag], factors, least=0, most=0)
            self._know_flag(Flag(option), flag)
        self._model.proto.constraints.add().at_most_one.literals.extend(flags)

    def _add_skew(self, skew: Skew) -> None:
        """Least total m: total <= m + skew where something arrives, m <= total where one counts."""
        reach = int(skew.held.max(initial=0)) + self._most(skew.lanes)
        least = self._add_variables([reach])
        for at, held in enumerate(skew.held.tolist()):
            lanes = skew.lanes[skew.place == at].tolist()
            ones = [1] * len(lanes)
            arrives = self._flag()
            self._close(lanes, unless=arrives)
            room = skew.skew - held
            self._add([*lanes, least], [*ones, -1], most=room, only_if=arrives)
            if skew.known[at]:
                self._add([*lanes, least], [*ones, -1], least=-held)
            elif len(skew.openers[at]):
                opened = self._flag()
                self._close(skew.openers[at].tolist(), unless=opened)
                self._add([*lanes, least], [*ones, -1], least=-held, only_if=opened)

    def _close(self, lanes: Sequence[int], *, unless: int) -> None:
        """Let no machine go over the lanes where the flag is 0."""
        for lane in lanes:
            self._add([lane], [1], least=0, most=0, only_if=_not(unless))

    def _add_relocation(self, move: Relocation) -> None:
        """Whether it moves m = sum of h_t over takers t, one of whom then has all: amount * h_t."""
        moves, moving, amount = self._flag(), move.moving.tolist(), move.amount
        self._add([*moving, moves], [*[1] * len(moving), -amount], least=0, most=0)
        self._know_flag(Flag(move.moving), moves)
        inherits = [self._flag() for _ in move.takers]
        self._add([*inherits, moves], [*[1] * len(inherits), -1], least=0, most=0)
        for taken, flag, is_heir, may_evict in zip(
            move.takers, inherits, move.heirs.tolist(), move.evictors.tolist(), strict=True
        ):
            lanes, ones = taken.tolist(), [1] * len(taken)
            self._add([*lanes, flag], [*ones, -amount], least=0)
            # Who may evict is free to take some where it stays.
            room = amount if may_evict else 0
            self._add([*lanes, flag, moves], [*ones, -amount, room], most=room)
            if not is_heir:
                self._add([flag], [1], least=0, most=0)

    def _linear(self, expression: Expression) -> tuple[Ints, Ints]:
        """Give variables and their factors, adding the variables that an expression needs."""
        features: dict[int, int] = {}
        for factor, feature in expression.features:
            match feature:
                case Flag():
                    variable = self._flag_of(feature, is_wanted=factor < 0)
                case Bins() | Peak():
                    if factor < 0:
                        raise ValueError(f"{feature} cannot be weighed at {factor}, below 0.")
                    variable = self._height(feature)
            features[variable] = features.get(variable, 0) + factor
        lanes = np.flatnonzero(expression.per_lane)
        more = np.array([*features.items()], dtype=np.int64).reshape(-1, 2)
        return (
            np.concatenate([lanes, more[:, 0]]),
            np.concatenate([expression.per_lane[lanes], more[:, 1]]),
        )

    def _flag_of(self, feature: Flag, *, is_wanted: bool) -> int:
        """Give a variable that is 1 where a machine goes; where it is wanted, only there."""
        key = feature.lanes.tobytes()
        if key not in self._flags:
            flag = self._flag()
            for lane in feature.lanes.tolist():
                self._add([lane, flag], [1, -int(self._shape.most[lane])], most=0)
            self._know_flag(feature, flag)
        flag = self._flags[key]
        if is_wanted and flag not in self._exact:
            self._exact.add(flag)
            lanes = feature.lanes.tolist()
            self._add([flag, *lanes], [1, *[-1] * len(lanes)], most=0)
        return flag

    def _know_flag(self, feature: Flag, flag: int) -> None:
        self._flags[feature.lanes.tobytes()] = flag
        self._features.append((flag, feature))

    def _height(self, feature: Bins | Peak) -> int:
        """Give a variable that is at least the feature."""
        known = self._heights.get(id(feature))
        if known is not None:
            return known
        match feature:
            case Bins():
                height = self._add_variables([feature.farthest(self._shape.most)])
                lanes = feature.lanes.tolist()
                self._add([*lanes, height], [*[1] * len(lanes), -feature.size], most=0)
            case Peak():
                least, largest = feature.range(self._shape.most)
                height = self._add_variables([largest], least)
                for line in feature.lines:
                    self._add(
                        np.append(line.lanes, height),
                        np.append(-line.slopes, 1),
                        least=line.offset,
                    )
        # The list of features keeps it, so that no other is ever given its id.
        self._features.append((height, feature))
        self._heights[id(feature)] = height
        return height

    def _hint(self, counts: Ints) -> None:
        """Show the solver a plan, with the variables that follow from it."""
        hint = self._model.proto.solution_hint
        features = [variable for variable, _ in self._features]
        _put(hint.vars, [*range(len(counts)), *features])
        _put(hint.values, [*counts.tolist(), *(f.value(counts) for _, f in self._features)])


def _put(field: Any, values: Sequence[int] | Ints) -> None:
    """Put values in the place of what a repeated field of a message holds."""
    field.clear()
    field.extend(np.asarray(values).tolist())


def _not(flag: int) -> int:
    """Give the literal that holds where the flag is 0."""
    return -flag - 1


def _first(solution: Iterable[int], lanes: int) -> Ints:
    """Give the counts, ``(X,)``: the lanes are the first variables of the model."""
    return np.fromiter(solution, np.int64, count=lanes)


def _whole(bound: float) -> int | None:
    """Round a bound up, as values are whole; None where it says nothing."""
    # A millionth: the solver keeps whole objectives in floats.
    return ceil(bound - 1e-6) if isfinite(bound) and abs(bound) < NO_BOUND else None
