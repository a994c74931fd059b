"""Best fit: the most important and largest first, each where least is left over."""

from bisect import bisect_left, insort
from typing import assert_never

from benchmarks.peers.peer import Answer, run
from benchmarks.peers.problems import Packing, Problem, Triple

SETTINGS = "best fit decreasing"


def answer(problem: Problem, seconds: float) -> Answer:
    """Give the greedy answer; it takes the time it takes."""
    match problem:
        case Packing():
            return Answer(_packing(problem), (), SETTINGS, "")
    assert_never(problem)


def _packing(problem: Packing) -> list[Triple]:
    """Walk the gangs by level, then size; each goes to the fullest rack that still holds it."""
    # Racks of a kind by what is left in them, so that the fullest that fits is a search away.
    shelves: dict[int, list[tuple[int, int]]] = {}
    for r, (kind, free) in enumerate(zip(problem.rack_kind, problem.rack_free, strict=True)):
        insort(shelves.setdefault(kind, []), (free, r))
    triples = []
    order = sorted(
        range(len(problem.gang_size)),
        key=lambda g: (problem.gang_level[g], -problem.gang_size[g]),
    )
    for g in order:
        size = problem.gang_size[g]
        suit = [shelves[kind] for kind in problem.gang_kinds[g] if kind in shelves]
        for _ in range(problem.gang_count[g]):
            able = [
                (shelf[at], shelf)
                for shelf in suit
                if (at := bisect_left(shelf, (size, 0))) < len(shelf)
            ]
            if not able:
                break
            (left, r), shelf = min(able)
            shelf.remove((left, r))
            insort(shelf, (left - size, r))
            triples.append((g, r, 1))
    return triples


if __name__ == "__main__":
    run(answer)
