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
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

NOWHERE = "nowhere"
"""The container of everything that is not placed."""

CONTAINER = "container"
SPECULATIVE, DRAIN = 1, 2
"""As in ``problems``."""

ABSOLUTE, MAX, MIN = 1, 1, 2
"""Kinds of limits and bounds in its enumerations."""

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

    def suit(self, where: dict[str, list[str]]) -> None:
        """Keep each class out of all targets but some.

        Where pairs are many its manual advises against a list of what to avoid: a dimension that
        is 1 where a class must not be, and no room for any of it.
        """
        inside: dict[str, dict[str, float]] = {target: {} for target in self.targets}
        for kind, items in where.items():
            for item in items:
                inside[item][kind] = 0.0
        self.solver.add_dynamic_object_dimension("unsuited", CONTAINER, inside, 1.0)
        spec = {
            "name": "suits",
            "scope": CONTAINER,
            "dimension": "unsuited",
            "limit": {"type": ABSOLUTE, "globalLimit": 0.0},
            "filter": {"itemsWhitelist": self.targets},
        }
        self.solver.add_constraint({"capacitySpec": spec})

    def empty(self, containers: list[str], dimension: str, position: int) -> None:
        """Ask for as little of a dimension in some containers as can be."""
        if containers:
            name = f"{position} {dimension}"
            spec = {"name": name, "containers": containers, "dimension": dimension}
            self.solver.add_goal({"toFreeSpec": spec}, 1.0, position)


def draft(start: dict[str, dict[str, int]], targets: list[str]) -> Draft:
    """Begin a problem: by container and class, the objects that are there at first."""
    solver = importlib.import_module("rebalancer").ProblemSolver("bigfleet", "benchmark")
    solver.set_log_level("FATAL")
    solver.set_object_name("object").set_container_name(CONTAINER)
    solver.set_compact_assignment(start)
    return Draft(solver, {}, targets)


def empty_but(containers: Iterable[str], counts: dict[str, int]) -> dict[str, dict[str, int]]:
    """Give containers in which nothing is, and one that has everything."""
    return {container: dict[str, int]() for container in containers} | {NOWHERE: counts}


def packing(columns: Columns, mode: str) -> Draft:
    """Gangs are objects, racks containers, machines a dimension; levels are goals in a tuple."""
    classes = [f"g{g}" for g in range(len(columns["gang_size"]))]
    sizes = dict(zip(classes, map(float, columns["gang_size"]), strict=True))
    levels = dict(zip(classes, columns["gang_level"], strict=True))
    counts = dict(zip(classes, columns["gang_count"], strict=True))
    # A rack without a free machine takes nothing, and its share of what is used is not a number.
    racks = {f"c{r}": float(free) for r, free in enumerate(columns["rack_free"]) if free}
    problem = draft(empty_but(racks, counts), list(racks))
    problem.solver.add_object_dimension("machines", sizes)
    # No more than it needs: with 1e12 here racks came out overfull by up to 4 machines, within the
    # relative tolerance of its sums.
    everything = sum(sizes[g] * counts[g] for g in classes)
    problem.room("machines", racks | {NOWHERE: everything})
    problem.suit(_suitable(columns, classes, racks))
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


def _suitable(
    columns: Columns, classes: list[str], racks: dict[str, float]
) -> dict[str, list[str]]:
    kinds = {f"c{r}": kind for r, kind in enumerate(columns["rack_kind"])}
    return {
        gang: [rack for rack in racks if kinds[rack] in suits]
        for gang, suits in zip(classes, columns["gang_kinds"], strict=True)
    }


def transfer(columns: Columns, mode: str) -> Draft:
    """Machines that are short are objects, offers containers; what drains lose joins its level."""
    tier, lost, lowest = columns["offer_tier"], columns["offer_level"], columns["offer_lowest"]
    profiles = [set(things) for things in columns["profile_things"]]
    wanted = list(zip(columns["wanted_profile"], columns["wanted_level"], strict=True))
    offers = {f"c{o}": float(count) for o, count in enumerate(columns["offer_count"])}
    able = {
        f"w{w}": [
            o
            for o, thing in enumerate(columns["offer_thing"])
            if thing in profiles[profile] and level <= lowest[o]
        ]
        for w, (profile, level) in enumerate(wanted)
    }
    short = {f"w{w}": count for w, count in enumerate(columns["wanted_short"])}
    used = {f"c{o}": offers[f"c{o}"] for members in able.values() for o in members}
    problem = draft(empty_but(used, short), list(used))
    ones = dict.fromkeys(short, 1.0)
    problem.solver.add_object_dimension("machines", ones)
    problem.room("machines", used | {NOWHERE: float(sum(short.values()))})
    problem.suit({w: [f"c{o}" for o in members] for w, members in able.items()})
    drains = {o for o, at in enumerate(tier) if at == DRAIN and f"c{o}" in used}
    _limit_drains(problem, columns, drains)
    levels = range(len(columns["priorities"]))
    for level in levels:
        name = f"level {level}"
        at_level = {w: float(wanted[int(w[1:])][1] == level) for w in short}
        problem.solver.add_object_dimension(name, at_level)
        problem.empty([NOWHERE], name, level)
        problem.empty([f"c{o}" for o in sorted(drains) if lost[o] == level], "machines", level)
    last = len(levels)
    problem.empty([f"c{o}" for o in sorted(drains)], "machines", last)
    created = [c for c in used if tier[int(c[1:])] == SPECULATIVE]
    problem.empty(created, "machines", last + 1)
    costs: dict[str, dict[str, float]] = {c: {} for c in used}
    for w, members in able.items():
        for o in members:
            costs[f"c{o}"][w] = _usd(columns, o, int(w[1:]))
    problem.solver.add_dynamic_object_dimension("USD", CONTAINER, costs, 0.0)
    problem.empty(list(used), "USD", last + 2)
    problem.order = {w: -float(wanted[int(w[1:])][1]) for w in short}
    return problem


def _limit_drains(problem: Draft, columns: Columns, drains: set[int]) -> None:
    """Put each donor's drained offers into one item of a scope, with a limit of its own."""
    donor = {f"c{o}": f"d{columns['offer_donor'][o]}" for o in drains}
    if not donor:
        return
    problem.solver.add_scope(
        "donor", {c: donor.get(c, "free") for c in [*problem.targets, NOWHERE]}
    )
    most = {item: float(columns["most_drains"][int(item[1:])]) for item in set(donor.values())}
    spec = {
        "name": "drains",
        "scope": "donor",
        "dimension": "machines",
        "limit": {"type": ABSOLUTE, "scopeItemLimits": most},
        "filter": {"itemsWhitelist": sorted(most)},
    }
    problem.solver.add_constraint({"capacitySpec": spec})


def _usd(columns: Columns, offer: int, wanted: int) -> float:
    thing = columns["offer_thing"][offer]
    risk = columns["thing_risk"][thing] * columns["wanted_penalty"][wanted]
    return float((columns["thing_cost"][thing] + risk) / 1e6)


def ownership(columns: Columns, mode: str) -> Draft:
    """Domains are objects, shards containers; even shares are counts of each group in each shard.

    That a share is at most and at least the whole numbers next to the even one are goals, since at
    first it mostly is not; that shards that close end empty is the first goal.
    """
    have, shards = columns["have"], columns["open"]
    start = {
        f"c{s}": {f"g{g}": row[s] for g, row in enumerate(have) if row[s]}
        for s in range(len(have[0]))
    }
    counts = {f"g{g}": sum(row) for g, row in enumerate(have)}
    targets = [f"c{s}" for s in shards]
    problem = draft(start, targets)
    problem.solver.add_object_dimension("domains", dict.fromkeys(counts, 1.0))
    problem.solver.add_partition("group", {g: [g] for g in counts})
    closed = [f"c{s}" for s in range(len(have[0])) if s not in set(shards)]
    problem.empty(closed, "domains", 0)
    every = sum(counts.values())
    among = {"scope": CONTAINER, "dimension": "domains", "filter": {"itemsWhitelist": targets}}
    for bound, share in ((MAX, _up), (MIN, _down)):
        limits = {g: float(share(count, len(shards))) for g, count in counts.items()}
        groups = {"partitionName": "group", "limit": {"type": ABSOLUTE, "groupLimits": limits}}
        total = {"limit": {"type": ABSOLUTE, "globalLimit": float(share(every, len(shards)))}}
        named = among | {"bound": bound}
        spec = named | groups | {"name": f"groups {bound}"}
        problem.solver.add_goal({"groupCountSpec": spec}, 1.0, 1)
        spec = named | total | {"name": f"totals {bound}"}
        problem.solver.add_goal({"capacitySpec": spec}, 1.0, 2)
    moved = {"name": "moved", "scope": CONTAINER, "dimension": "domains"}
    problem.solver.add_goal({"minimizeMovementSpec": moved}, 1.0, 3)
    problem.order = dict.fromkeys(counts, 1.0)
    return problem


def _up(count: int, shards: int) -> int:
    return -(-count // shards)


def _down(count: int, shards: int) -> int:
    return count // shards


PROBLEMS = {"packing": packing, "transfer": transfer, "ownership": ownership}


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
    """Read off what is placed; names are a letter and a number. Offers come before shortfalls."""
    return [
        (int(container[1:]), int(kind[1:]), count)
        if kind[0] == "w"
        else (int(kind[1:]), int(container[1:]), count)
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
