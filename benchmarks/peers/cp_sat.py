"""The program given to CP-SAT as one model, goal after goal.

Set up as its manual advises: a worker for each core, best fit as the first hint and the answer
before as the next, what is reached held as a constraint. Each goal may take half of the time left,
the last one all of it.
"""

import time

from ortools.sat.python import cp_model

from benchmarks.peers import greedy
from benchmarks.peers.peer import Answer, run
from benchmarks.peers.problems import Problem
from benchmarks.peers.program import Program, program_of

SETTINGS = (
    "num_workers 0 (one a core), defaults otherwise; best fit as a hint, then each goal by the last"
)


def answer(problem: Problem, seconds: float) -> Answer:
    """Give the best answer found in the time."""
    end = time.monotonic() + seconds
    program = program_of(problem)
    model = cp_model.CpModel()
    variables = [
        model.new_int_var(least, most, "")
        for least, most in zip(program.lower, program.upper, strict=True)
    ]
    for columns, weights, least, most in program.rows:
        total = cp_model.LinearExpr.weighted_sum([variables[c] for c in columns], weights)
        model.add_linear_constraint(
            total,
            cp_model.INT_MIN if least is None else least,
            cp_model.INT_MAX if most is None else most,
        )
    fast = {(i, j): count for i, j, count in greedy.answer(problem, seconds).triples or ()}
    for variable, pair in zip(variables, program.pairs, strict=False):
        model.add_hint(variable, fast.get(pair, 0))
    values: list[int] | None = None
    bounds: list[float | None] = []
    for place, (columns, weights, constant) in enumerate(program.goals):
        goal = cp_model.LinearExpr.weighted_sum([variables[c] for c in columns], weights)
        model.minimize(goal)
        if values is not None:
            model.clear_hints()  # type: ignore[no-untyped-call]
            for variable, value in zip(variables, values, strict=True):
                model.add_hint(variable, value)
        solver = cp_model.CpSolver()
        left = max(0.1, end - time.monotonic())
        solver.parameters.max_time_in_seconds = (
            left if place + 1 == len(program.goals) else left / 2
        )
        status = solver.solve(model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            bounds.append(None)
            if values is None:
                break
        else:
            values = [solver.value(variable) for variable in variables]
            bounds.append(solver.best_objective_bound + constant)
        reached = sum(w * values[c] for c, w in zip(columns, weights, strict=True))
        model.add(goal <= reached)
    return _answer(program, values, bounds)


def _answer(program: Program, values: list[int] | None, bounds: list[float | None]) -> Answer:
    if values is None:
        return Answer(None, (), SETTINGS, "found none in the time")
    return Answer(program.answer(values), tuple(bounds), SETTINGS, "")


if __name__ == "__main__":
    run(answer)
