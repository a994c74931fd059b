"""Linear and integer programmes behind their door: OR-Tools' GLOP and SCIP, solved cold.

An answer is a vector and nothing else. It may be wrong: who asks checks it.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

import numpy as np

from models.fleet import Ints, Mask, Reals


@dataclass(frozen=True, eq=False, slots=True)
class Programme:
    """Maximise ``objective @ x`` where ``lower <= x <= upper``, ``row_lower <= A x <= row_upper``.

    ``C`` columns, ``R`` rows; ``integer`` marks columns of whole numbers. The matrix is given entry
    by entry: ``row``, ``column``, ``factor``, no pair twice.
    """

    objective: Reals
    lower: Reals
    upper: Reals
    integer: Mask
    row_lower: Reals
    row_upper: Reals
    row: Ints
    column: Ints
    factor: Reals


@dataclass(frozen=True, eq=False, slots=True)
class Relaxed:
    """The best columns, ``(C,)``, whole or not, and what a unit of each row is worth, ``(R,)``."""

    columns: Reals
    prices: Reals


class Engine(Protocol):
    """Who solves programmes."""

    def relaxed(self, programme: Programme, seconds: float | None) -> Relaxed | None:
        """Solve it, integrality aside; None where time was too short."""

    def values(
        self, programme: Programme, seconds: float | None, nodes: int, seed: int
    ) -> Reals | None:
        """Give the best columns found within the limits, None where there are none."""


class OrTools:
    """GLOP without integrality, SCIP with it, both by MathOpt.

    CPU seconds for the hardest priority of one, four and twelve types, all racks at once: SCIP
    0.05, 2 and 15 (0.3 % left), HiGHS 1.12 of the same OR-Tools 0.5, 2 and 6, highspy 1.16 1.1 for
    one type, CP-SAT 0.2 and 20. Parts are as large as four types, so SCIP it is; OR-Tools reaches
    its HiGHS by a door that prints to the standard output.
    """

    def relaxed(self, programme: Programme, seconds: float | None) -> Relaxed | None:
        """Give columns and duals of the relaxation."""
        from ortools.math_opt.python import mathopt

        model = _model(programme, relaxed=True)
        parameters = mathopt.SolveParameters(threads=1, time_limit=_limit(seconds))
        result = mathopt.solve(model, mathopt.SolverType.GLOP, params=parameters)
        if not (result.has_primal_feasible_solution() and result.has_dual_feasible_solution()):
            return None
        return Relaxed(
            np.array(result.variable_values(list(model.variables())), dtype=np.float64),
            np.array(result.dual_values(list(model.linear_constraints())), dtype=np.float64),
        )

    def values(
        self, programme: Programme, seconds: float | None, nodes: int, seed: int
    ) -> Reals | None:
        """Give the columns of the best solution."""
        from ortools.math_opt.python import mathopt

        model = _model(programme, relaxed=False)
        parameters = mathopt.SolveParameters(
            threads=1,
            time_limit=_limit(seconds),
            node_limit=nodes,
            random_seed=seed,
            relative_gap_tolerance=0.0,
            # All values are whole numbers.
            absolute_gap_tolerance=0.99,
        )
        result = mathopt.solve(model, mathopt.SolverType.GSCIP, params=parameters)
        if not result.has_primal_feasible_solution():
            return None
        return np.array(result.variable_values(list(model.variables())), dtype=np.float64)


def _limit(seconds: float | None) -> timedelta | None:
    return None if seconds is None else timedelta(seconds=max(0.0, seconds))


def _model(programme: Programme, *, relaxed: bool) -> Any:
    """Give the model; by its message, which takes a tenth of the time that calls take."""
    from ortools.math_opt import model_pb2
    from ortools.math_opt.python import mathopt

    message = model_pb2.ModelProto()
    columns, rows = message.variables, message.linear_constraints
    columns.ids.extend(range(len(programme.lower)))
    columns.lower_bounds.extend(programme.lower.tolist())
    columns.upper_bounds.extend(programme.upper.tolist())
    columns.integers.extend((programme.integer & (not relaxed)).tolist())
    rows.ids.extend(range(len(programme.row_lower)))
    rows.lower_bounds.extend(programme.row_lower.tolist())
    rows.upper_bounds.extend(programme.row_upper.tolist())
    wanted = np.flatnonzero(programme.objective)
    message.objective.maximize = True
    message.objective.linear_coefficients.ids.extend(wanted.tolist())
    message.objective.linear_coefficients.values.extend(programme.objective[wanted].tolist())
    order = np.lexsort((programme.column, programme.row))
    matrix = message.linear_constraint_matrix
    matrix.row_ids.extend(programme.row[order].tolist())
    matrix.column_ids.extend(programme.column[order].tolist())
    matrix.coefficients.extend(programme.factor[order].tolist())
    return mathopt.Model.from_model_proto(message)
