"""A problem as one whole-number program, the obvious one: what a person would hand to a solver.

    x in Z, 0 <= x <= upper;    least <= rows x <= most;    min goals[0] x, then goals[1] x, ...

No aggregation of what is alike beyond the classes that the problem itself names, no decomposition:
that is what the project does, and what is compared with it here is done without.
"""

from dataclasses import dataclass, field
from typing import assert_never

from benchmarks.peers.problems import Packing, Problem, Triple


@dataclass(slots=True)
class Program:
    """Rows and goals as sparse lists; ``pairs`` names what the leading variables stand for.

    Attributes
    ----------
    upper
        One entry a variable.
    rows
        (columns, weights, least, most) of each row; None bounds nothing.
    goals
        (columns, weights, constant) of each, in the order in which they count.
    """

    pairs: list[tuple[int, int]] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    rows: list[tuple[list[int], list[int], int | None, int | None]] = field(default_factory=list)
    goals: list[tuple[list[int], list[int], int]] = field(default_factory=list)

    def variable(self, most: int) -> int:
        """Add a variable from 0 to ``most``; give its number."""
        self.upper.append(most)
        return len(self.upper) - 1

    def answer(self, values: list[int]) -> list[Triple]:
        """Read an answer off the values of the variables."""
        return [
            (*pair, value) for pair, value in zip(self.pairs, values, strict=False) if value > 0
        ]


def program_of(problem: Problem) -> Program:
    """Write the problem down."""
    match problem:
        case Packing():
            return _packing(problem)
    assert_never(problem)


def _packing(problem: Packing) -> Program:
    """x[g, r] gangs of class g in rack r, and e[r] = 1 where a rack stays whole.

    sum_g size_g x[g, r] + free_r e[r] <= free_r;    sum_r x[g, r] <= count_g
    """
    program = Program(pairs=problem.pairs)
    size, free = problem.gang_size, problem.rack_free
    in_rack: list[list[int]] = [[] for _ in free]
    of_gang: list[list[int]] = [[] for _ in size]
    for g, r in program.pairs:
        x = program.variable(min(problem.gang_count[g], free[r] // size[g]))
        in_rack[r].append(x)
        of_gang[g].append(x)
    for g, members in enumerate(of_gang):
        program.rows.append((members, [1] * len(members), None, problem.gang_count[g]))
    whole = []
    for r, members in enumerate(in_rack):
        whole.append(program.variable(1))
        sizes = [size[program.pairs[x][0]] for x in members]
        program.rows.append(([*members, whole[-1]], [*sizes, free[r]], None, free[r]))
    for level in sorted(set(problem.gang_level)):
        gangs = [g for g, at in enumerate(problem.gang_level) if at == level]
        columns = [x for g in gangs for x in of_gang[g]]
        weights = [-size[program.pairs[x][0]] for x in columns]
        asked = sum(size[g] * problem.gang_count[g] for g in gangs)
        program.goals.append((columns, weights, asked))
    program.goals.append((whole, [-f for f in free], sum(free)))
    return program
