"""Best fit: the most important and largest first, each where least is left over."""

from bisect import bisect_left, insort
from typing import assert_never

from benchmarks.peers.peer import Answer, run
from benchmarks.peers.problems import DRAIN, Ownership, Packing, Problem, Transfer, Triple, Victims

SETTINGS = "best fit decreasing"


def answer(problem: Problem, seconds: float) -> Answer:
    """Give the greedy answer; it takes the time it takes."""
    match problem:
        case Packing():
            triples = _packing(problem)
        case Transfer():
            triples = _transfer(problem)
        case Ownership():
            triples = _ownership(problem)
        case Victims():
            triples = _victims(problem)
        case _:
            assert_never(problem)
    return Answer(triples, (), SETTINGS, "")


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


def _transfer(problem: Transfer) -> list[Triple]:
    """Walk the shortfalls by level; each takes the idle first, the cheapest, the smallest offer."""
    left, drains = list(problem.offer_count), list(problem.most_drains)
    able: dict[int, list[int]] = {}
    for offer, wanted in problem.pairs:
        able.setdefault(wanted, []).append(offer)
    triples = []
    for wanted in sorted(able, key=lambda w: (problem.wanted_level[w], len(able[w]), w)):
        short = problem.wanted_short[wanted]

        def rank(offer: int, wanted: int = wanted) -> tuple[int, int, int, int]:
            return problem.offer_tier[offer], problem.cost(offer, wanted), left[offer], offer

        for offer in sorted(able[wanted], key=rank):
            count = min(short, left[offer])
            if problem.offer_tier[offer] == DRAIN:
                count = min(count, drains[problem.offer_donor[offer]])
                drains[problem.offer_donor[offer]] -= count
            left[offer] -= count
            short -= count
            triples.append((offer, wanted, count))
    return triples


def _ownership(problem: Ownership) -> list[Triple]:
    """Group by group, one domain at a time from the fullest shard to the emptiest."""
    total = [sum(column) for column in zip(*problem.have, strict=True)]
    triples = []
    for group, row in enumerate(problem.have):
        held, spare = list(row), 0
        for shard in set(range(len(held))) - set(problem.open):
            spare += held[shard]
            total[shard] -= held[shard]
            held[shard] = 0
        while True:
            low = min(problem.open, key=lambda s: (held[s], total[s], s))
            high = max(problem.open, key=lambda s: (held[s], total[s], -s))
            if spare:
                spare -= 1
            elif held[high] - held[low] > 1:
                held[high] -= 1
                total[high] -= 1
            else:
                break
            held[low] += 1
            total[low] += 1
        triples += [(group, shard, count) for shard, count in enumerate(held) if count]
    return triples


def _victims(problem: Victims) -> list[Triple]:
    """Gang by gang, in each domain the free first, then the least important, then the cheapest."""
    left = list(problem.row_count)
    able: dict[int, dict[int, list[int]]] = {}
    for row, gang in problem.pairs:
        able.setdefault(gang, {}).setdefault(problem.row_domain[row], []).append(row)

    def rank(row: int) -> tuple[bool, int, int, int]:
        work = problem.row_work[row]
        level = -problem.work_level[work] if work >= 0 else 0
        return work >= 0, level, problem.row_usd[row], row

    triples = []
    for gang in sorted(able, key=lambda g: (problem.gang_level[g], -problem.gang_size[g], g)):
        found = []
        for domain, rows in able[gang].items():
            short, taken = problem.gang_size[gang], list[tuple[int, int]]()
            for row in sorted(rows, key=rank):
                taken.append((row, min(short, left[row])))
                short -= taken[-1][1]
            drains = sum(count for row, count in taken if problem.row_work[row] >= 0)
            usd = sum(count * problem.row_usd[row] for row, count in taken)
            if not short:
                found.append((drains, usd, domain, taken))
        if found:
            for row, count in min(found)[-1]:
                left[row] -= count
                triples.append((row, gang, count))
    return triples


if __name__ == "__main__":
    run(answer)
