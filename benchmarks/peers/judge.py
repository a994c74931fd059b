"""One plain checker for every answer: what it breaks, and what it is worth.

It trusts no peer: every value is worked out again from the triples, by the definitions alone.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import assert_never

from benchmarks.peers.problems import (
    DRAIN,
    SPECULATIVE,
    Ownership,
    Packing,
    Problem,
    Transfer,
    Triple,
    Victims,
)

Worth = dict[str, int]
"""Values by name, in the order in which they count, each to be as small as can be.

What is to be large is told as what is missing from the most there could ever be.
"""


class Broken(Exception):
    """An answer that is none: it breaks what it names."""


def worth(problem: Problem, answer: Sequence[Triple]) -> Worth:
    """Check an answer and give what it is worth; raise ``Broken`` for one that breaks a rule."""
    counts: Counter[tuple[int, int]] = Counter()
    for first, second, count in answer:
        if count < 0:
            raise Broken(f"({first}, {second}) has {count}.")
        counts[first, second] += count
    counts = +counts
    match problem:
        case Packing():
            return _packing(problem, counts)
        case Transfer():
            return _transfer(problem, counts)
        case Ownership():
            return _ownership(problem, counts)
        case Victims():
            return _victims(problem, counts)
    assert_never(problem)


def _packing(problem: Packing, counts: Counter[tuple[int, int]]) -> Worth:
    _within(counts, len(problem.gang_size), len(problem.rack_free), problem.suits)
    used: Counter[int] = Counter()
    placed: Counter[int] = Counter()
    for (gang, rack), count in counts.items():
        used[rack] += count * problem.gang_size[gang]
        placed[gang] += count
    _at_most("free machines of rack", used, problem.rack_free)
    _at_most("gangs of class", placed, problem.gang_count)
    short: Counter[int] = Counter()
    for gang, size in enumerate(problem.gang_size):
        left = problem.gang_count[gang] - placed[gang]
        short[problem.gang_level[gang]] += size * left
    found = {f"short at level {level}": short[level] for level in sorted(short)}
    return found | {"in broken racks": sum(problem.rack_free[rack] for rack in used)}


def _transfer(problem: Transfer, counts: Counter[tuple[int, int]]) -> Worth:
    _within(counts, len(problem.offer_count), len(problem.wanted_short), problem.suits)
    given, got, drains = Counter[int](), Counter[int](), Counter[int]()
    tiers = Counter[int]()
    short = Counter(dict.fromkeys(range(len(problem.priorities)), 0))
    cost = 0
    for wanted, count in enumerate(problem.wanted_short):
        short[problem.wanted_level[wanted]] += count
    for (offer, wanted), count in counts.items():
        given[offer] += count
        got[wanted] += count
        tiers[problem.offer_tier[offer]] += count
        short[problem.wanted_level[wanted]] -= count
        if problem.offer_tier[offer] == DRAIN:
            drains[problem.offer_donor[offer]] += count
        if problem.offer_level[offer] >= 0:
            short[problem.offer_level[offer]] += count
        cost += count * problem.cost(offer, wanted)
    _at_most("machines of offer", given, problem.offer_count)
    _at_most("machines for shortfall", got, problem.wanted_short)
    _at_most("drains of shard", drains, problem.most_drains)
    found = {f"short at level {level}": count for level, count in short.items()}
    return found | {"drained": tiers[DRAIN], "created": tiers[SPECULATIVE], "micro-USD/h": cost}


def _ownership(problem: Ownership, counts: Counter[tuple[int, int]]) -> Worth:
    groups, shards = len(problem.have), len(problem.have[0])
    _within(counts, groups, shards, lambda _, shard: shard in problem.open)
    off, total, moves = 0, Counter[int](), 0
    for group, all_of_it in enumerate(problem.counts):
        held = [counts[group, shard] for shard in range(shards)]
        if sum(held) != all_of_it:
            raise Broken(f"of {all_of_it} domains of group {group}, {sum(held)} are held.")
        off += sum(off_even(held[shard], all_of_it, len(problem.open)) for shard in problem.open)
        total.update(dict(enumerate(held)))
        moves += sum(max(0, h - had) for h, had in zip(held, problem.have[group], strict=True))
    everything = sum(problem.counts)
    uneven = sum(off_even(total[shard], everything, len(problem.open)) for shard in problem.open)
    return {"off in groups": off, "off in totals": uneven, "moved": moves}


def _victims(problem: Victims, counts: Counter[tuple[int, int]]) -> Worth:
    _within(counts, len(problem.row_count), len(problem.gang_size), problem.suits)
    taken, got = Counter[int](), Counter[int]()
    domains: dict[int, set[int]] = {}
    short = Counter(dict.fromkeys(problem.levels, 0))
    for level, size in zip(problem.gang_level, problem.gang_size, strict=True):
        short[level] += size
    hit, drained, usd = set(), 0, 0
    for (row, gang), count in counts.items():
        taken[row] += count
        got[gang] += count
        domains.setdefault(gang, set()).add(problem.row_domain[row])
        short[problem.gang_level[gang]] -= count
        usd += count * problem.row_usd[row]
        if (work := problem.row_work[row]) >= 0:
            short[problem.work_level[work]] += count
            drained += count
            hit.add(work)
    _at_most("machines of row", taken, problem.row_count)
    for gang, count in got.items():
        if count != problem.gang_size[gang] or len(domains[gang]) > 1:
            raise Broken(f"gang {gang} has {count} machines in {len(domains[gang])} domains.")
    found = {f"short at level {level}": count for level, count in short.items()}
    usd += sum(problem.work_once[work] for work in hit)
    return found | {"drained": drained, "damage USD": usd}


def off_even(held: int, everything: int, shards: int) -> int:
    """Give how far a share is off the whole numbers next to the even one."""
    return max(everything // shards - held, held - -(-everything // shards), 0)


def _within(
    counts: Counter[tuple[int, int]], first: int, second: int, suits: Callable[[int, int], bool]
) -> None:
    for one, other in counts:
        inside = 0 <= one < first and 0 <= other < second
        if not (inside and suits(one, other)):
            raise Broken(f"{(one, other)} do not suit each other.")


def _at_most(what: str, used: Counter[int], most: Sequence[int]) -> None:
    for index, count in used.items():
        if count > most[index]:
            raise Broken(f"{what} {index}: {count} of {most[index]}.")
