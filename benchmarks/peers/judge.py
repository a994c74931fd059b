"""One plain checker for every answer: what it breaks, and what it is worth.

It trusts no peer: every value is worked out again from the triples, by the definitions alone.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import assert_never

from benchmarks.peers.problems import Packing, Problem, Triple

Worth = dict[str, int]
"""Values by name, in the order in which they count, each to be as small as can be.

What is to be large is told as what is missing from the most there could ever be.
"""

Missing = Callable[[int], None]


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
    assert_never(problem)


def _packing(problem: Packing, counts: Counter[tuple[int, int]]) -> Worth:
    _within("pairs that suit", counts, set(problem.pairs))
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


def _within(what: str, counts: Counter[tuple[int, int]], allowed: set[tuple[int, int]]) -> None:
    for pair in counts:
        if pair not in allowed:
            raise Broken(f"{pair} is not among the {what}.")


def _at_most(what: str, used: Counter[int], most: Sequence[int]) -> None:
    for index, count in used.items():
        if count > most[index]:
            raise Broken(f"{what} {index}: {count} of {most[index]}.")
