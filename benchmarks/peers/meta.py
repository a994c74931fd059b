"""Meta's Rebalancer: what the problems are in its words, and its two solvers.

A script, not a module: its package is called ``rebalancer``, as one of ours is, so this runs with
``python -P`` in an environment of its own and imports nothing of the project. It reads what
``problems.to_json`` wrote and writes what ``peer.run`` writes.

    python -P meta.py SECONDS stratified|highs < problem.json

Set up as its documentation advises: like objects as one with a count, the hard ones first, strict
goals as a tuple; local search with stratified samples of 100 destinations, then swaps, then triple
loops; HiGHS started from the answer of a local search that has had a quarter of the time.
"""

import importlib
import json
import sys
import time
from dataclasses import dataclass
from typing import Any

NOWHERE = "nowhere"
"""The container of everything that is not placed."""

CONTAINER = "container"

HIGHS = 2
"""In its enumeration of exact solvers; the published build has no other."""

SAMPLE = 100
SETTINGS = {
    "stratified": f"moves: stratified {SAMPLE}, swap, triple loop; objects ordered by level, size",
    "highs": "local search (stratified, swap) for a quarter of the time, then HiGHS",
}

Columns = dict[str, Any]


@dataclass(slots=True)
class Draft:
    """A solver that is being told a problem; its objects are classes of like ones, with a count.

    Attributes
    ----------
    order
        By class; which are moved first, the largest number before the others.
    targets
        The containers to which moves are tried.
    """

    solver: Any
    order: dict[str, float]
    targets: list[str]

    def room(self, dimension: str, most: dict[str, float]) -> None:
        """Limit what each container holds of a dimension."""
        self.solver.add_container_dimension(dimension, most)
        spec = {"name": f"room for {dimension}", "scope": CONTAINER, "dimension": dimension}
        self.solver.add_constraint({"capacitySpec": spec})

    def forbid(self, where: dict[str, list[str]]) -> None:
        """Keep classes out of containers."""
        pairs = [{"object": kind, "scopeItems": items} for kind, items in where.items() if items]
        if pairs:
            spec = {"name": "suits", "scope": CONTAINER, "assignments": pairs}
            self.solver.add_constraint({"avoidAssignmentsSpec": spec})

    def empty(self, containers: list[str], dimension: str, position: int) -> None:
        """Ask for as little of a dimension in some containers as can be."""
        spec = {"name": dimension, "containers": containers, "dimension": dimension}
        self.solver.add_goal({"toFreeSpec": spec}, 1.0, position)


def draft(containers: list[str], counts: dict[str, int]) -> Draft:
    """Begin a problem in which every object is nowhere."""
    solver = importlib.import_module("rebalancer").ProblemSolver("bigfleet", "benchmark")
    solver.set_log_level("FATAL")
    solver.set_object_name("object").set_container_name(CONTAINER)
    nothing: dict[str, dict[str, int]] = {container: {} for container in containers}
    solver.set_compact_assignment(nothing | {NOWHERE: counts})
    return Draft(solver, {}, containers)


def packing(columns: Columns, mode: str) -> Draft:
    """Gangs are objects, racks containers, machines a dimension; levels are goals in a tuple."""
    classes = [f"g{g}" for g in range(len(columns["gang_size"]))]
    sizes = dict(zip(classes, map(float, columns["gang_size"]), strict=True))
    levels = dict(zip(classes, columns["gang_level"], strict=True))
    counts = dict(zip(classes, columns["gang_count"], strict=True))
    # A rack without a free machine takes nothing, and its share of what is used is not a number.
    racks = {f"c{r}": float(free) for r, free in enumerate(columns["rack_free"]) if free}
    problem = draft(list(racks), counts)
    problem.solver.add_object_dimension("machines", sizes)
    # No more than it needs: with 1e12 here racks came out overfull by up to 4 machines, within the
    # relative tolerance of its sums.
    everything = sum(sizes[g] * counts[g] for g in classes)
    problem.room("machines", racks | {NOWHERE: everything})
    problem.forbid(_unsuitable(columns, classes, racks))
    for level in sorted(set(levels.values())):
        name = f"level {level}"
        at_level = {g: sizes[g] if levels[g] == level else 0.0 for g in classes}
        problem.solver.add_object_dimension(name, at_level)
        problem.empty([NOWHERE], name, level)
    if mode != "highs":
        # Its exact mode cannot say it: "At least one of the operands must be a binary variable".
        whole = {
            "name": "whole",
            "scope": CONTAINER,
            "dimension": "machines",
            "containerCosts": racks,
            "filter": {"itemsWhitelist": list(racks)},
        }
        last = max(levels.values(), default=0) + 1
        problem.solver.add_goal({"minimizeContainersSpec": whole}, 1.0, last)
    largest = max(sizes.values(), default=0.0) + 1
    problem.order = {g: sizes[g] - largest * levels[g] for g in classes}
    return problem


def _unsuitable(
    columns: Columns, classes: list[str], racks: dict[str, float]
) -> dict[str, list[str]]:
    kinds = {f"c{r}": kind for r, kind in enumerate(columns["rack_kind"])}
    return {
        gang: [rack for rack in racks if kinds[rack] not in suits]
        for gang, suits in zip(classes, columns["gang_kinds"], strict=True)
    }


PROBLEMS = {"packing": packing}


def _local_search(problem: Draft, seconds: float, moves: list[Any]) -> Any:
    targets = {"scopeName": CONTAINER, "scopeItems": problem.targets}
    stratified = {
        "destinationsToExplore": {"moveToScopeItems": {"defaultScopeItems": targets}},
        "stratifiedSampleSize": {"defaultSampleSize": SAMPLE},
    }
    return {
        "localSearchSolverSpec": {
            "solveTime": max(1, int(seconds)),
            "randomSeed": 1,
            "objectOrderingDimension": "order",
            "moveTypeList": [{"singleRandomStratifiedMoveTypeSpec": stratified}, *moves],
        }
    }


def _solve(columns: Columns, seconds: float, mode: str) -> Any:
    problem = PROBLEMS[columns["problem"]](columns, mode)
    problem.solver.add_object_dimension("order", problem.order)
    swap: Columns = {"swapMoveTypeSpec": {}}
    triple: Columns = {"tripleLoopMoveTypeSpec": {}}
    if mode == "highs":
        problem.solver.add_solver(_local_search(problem, seconds / 4, [swap]))
        spec = {"solveTime": int(seconds * 3 / 4), "solverPackage": HIGHS, "suppressLogs": True}
        problem.solver.add_solver({"optimalSolverSpec": spec})
    else:
        problem.solver.add_solver(_local_search(problem, seconds, [swap, triple]))
    return problem.solver.solve()


def _triples(found: Any) -> list[tuple[int, int, int]]:
    """Read off what is placed: classes and containers are a letter and their number."""
    return [
        (int(kind[1:]), int(container[1:]), count)
        for container, kinds in found["compactAssignment"]["objectsPerContainer"].items()
        if container != NOWHERE
        for kind, count in kinds.items()
    ]


def main() -> None:
    """Read the problem, solve it, write the answer."""
    seconds, mode = float(sys.argv[1]), sys.argv[2]
    columns = json.load(sys.stdin)
    started = time.monotonic()
    triples, said = None, ""
    try:
        triples = _triples(_solve(columns, seconds, mode))
    except RuntimeError as error:
        # It throws its C++ errors as these; the first line says what is wrong.
        said = str(error).splitlines()[0]
    took = time.monotonic() - started
    answer = {"triples": triples, "bounds": (), "settings": SETTINGS[mode], "said": said}
    json.dump({"seconds": took, **answer}, sys.stdout)


if __name__ == "__main__":
    main()
