"""The program given to scipy.optimize.milp, which is HiGHS, goal after goal.

It takes no hint and no second goal: what is reached is held as a row. Runs in the peers'
environment, since the project itself needs no scipy.
"""

import time

import numpy as np
from scipy.optimize import (  # type: ignore[import-untyped]  # It ships no types.
    Bounds,
    LinearConstraint,
    milp,
)
from scipy.sparse import csr_array  # type: ignore[import-untyped]

from benchmarks.peers.peer import Answer, run
from benchmarks.peers.problems import Problem
from benchmarks.peers.program import program_of

SETTINGS = "mip_rel_gap 0, defaults otherwise; goals in turn, each cold"


def answer(problem: Problem, seconds: float) -> Answer:
    """Give the best answer found in the time."""
    end = time.monotonic() + seconds
    program = program_of(problem)
    width = len(program.upper)
    rows = list(program.rows)
    values: list[int] | None = None
    bounds: list[float | None] = []
    for place, (columns, weights, constant) in enumerate(program.goals):
        cost = np.zeros(width)
        np.add.at(cost, columns, weights)
        left = max(0.1, end - time.monotonic())
        found = milp(
            cost,
            integrality=np.ones(width),
            bounds=Bounds(program.lower, program.upper),
            constraints=_constraints(rows, width),
            options={
                "time_limit": left if place + 1 == len(program.goals) else left / 2,
                "mip_rel_gap": 0.0,
            },
        )
        bounds.append(None if found.mip_dual_bound is None else found.mip_dual_bound + constant)
        if found.x is not None:
            values = np.rint(found.x).astype(int).tolist()
        elif values is None:
            break
        reached = sum(w * values[c] for c, w in zip(columns, weights, strict=True))
        rows.append((columns, weights, None, reached))
    if values is None:
        return Answer(None, (), SETTINGS, "found none in the time")
    return Answer(program.answer(values), tuple(bounds), SETTINGS, "")


def _constraints(
    rows: list[tuple[list[int], list[int], int | None, int | None]], width: int
) -> LinearConstraint:
    start = np.cumsum([0, *(len(columns) for columns, _, _, _ in rows)])
    columns = np.concatenate([np.array(row[0], dtype=np.int64) for row in rows])
    weights = np.concatenate([np.array(row[1], dtype=float) for row in rows])
    least = [-np.inf if row[2] is None else row[2] for row in rows]
    most = [np.inf if row[3] is None else row[3] for row in rows]
    return LinearConstraint(csr_array((weights, columns, start), (len(rows), width)), least, most)


if __name__ == "__main__":
    run(answer)
