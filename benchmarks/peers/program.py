"""A problem as one whole-number program, the obvious one: what a person would hand to a solver.

    x in Z, lower <= x <= upper;    least <= rows x <= most;    min goals[0] x, then goals[1] x, ...

No aggregation of what is alike beyond the classes that the problem itself names, no decomposition:
that is what the project does, and what is compared with it here is done without.
"""

from dataclasses import dataclass, field
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


@dataclass(slots=True)
class Program:
    """Rows and goals as sparse lists; ``pairs`` names what the leading variables stand for.

    Attributes
    ----------
    lower, upper
        One entry a variable.
    rows
        (columns, weights, least, most) of each row; None bounds nothing.
    goals
        (columns, weights, constant) of each, in the order in which they count.
    """

    pairs: list[tuple[int, int]] = field(default_factory=list)
    lower: list[int] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    rows: list[tuple[list[int], list[int], int | None, int | None]] = field(default_factory=list)
    goals: list[tuple[list[int], list[int], int]] = field(default_factory=list)

    def variable(self, most: int, least: int = 0) -> int:
        """Add a variable; give its number."""
        self.lower.append(least)
        self.upper.append(most)
        return len(self.upper) - 1

    def at_most(self, columns: list[int], weights: list[int], most: int) -> None:
        """Add a row."""
        self.rows.append((columns, weights, None, most))

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
        case Transfer():
            return _transfer(problem)
        case Ownership():
            return _ownership(problem)
        case Victims():
            return _victims(problem)
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
        program.at_most(members, [1] * len(members), problem.gang_count[g])
    whole = []
    for r, members in enumerate(in_rack):
        whole.append(program.variable(1))
        sizes = [size[program.pairs[x][0]] for x in members]
        program.at_most([*members, whole[-1]], [*sizes, free[r]], free[r])
    for level in sorted(set(problem.gang_level)):
        gangs = [g for g, at in enumerate(problem.gang_level) if at == level]
        columns = [x for g in gangs for x in of_gang[g]]
        weights = [-size[program.pairs[x][0]] for x in columns]
        asked = sum(size[g] * problem.gang_count[g] for g in gangs)
        program.goals.append((columns, weights, asked))
    program.goals.append((whole, [-f for f in free], sum(free)))
    return program


def _transfer(problem: Transfer) -> Program:
    """x[o, w] machines of offer o for shortfall w.

    sum_w x[o, w] <= count_o;  sum_o x[o, w] <= short_w;  sum of shard d's drains <= most_d
    """
    program = Program(pairs=problem.pairs)
    of_offer: dict[int, list[int]] = {}
    of_wanted: dict[int, list[int]] = {}
    drains: dict[int, list[int]] = {}
    level_columns: dict[int, list[tuple[int, int]]] = {}
    tiers: dict[int, list[int]] = {DRAIN: [], SPECULATIVE: []}
    for o, w in program.pairs:
        x = program.variable(min(problem.offer_count[o], problem.wanted_short[w]))
        of_offer.setdefault(o, []).append(x)
        of_wanted.setdefault(w, []).append(x)
        tiers.setdefault(problem.offer_tier[o], []).append(x)
        level_columns.setdefault(problem.wanted_level[w], []).append((x, -1))
        if problem.offer_tier[o] == DRAIN:
            drains.setdefault(problem.offer_donor[o], []).append(x)
        if problem.offer_level[o] >= 0:
            level_columns.setdefault(problem.offer_level[o], []).append((x, 1))
    for members, most in (
        (of_offer, problem.offer_count),
        (of_wanted, problem.wanted_short),
        (drains, problem.most_drains),
    ):
        for index, columns in members.items():
            program.at_most(columns, [1] * len(columns), most[index])
    for level in range(len(problem.priorities)):
        asked = sum(
            short
            for short, at in zip(problem.wanted_short, problem.wanted_level, strict=True)
            if at == level
        )
        terms = level_columns.get(level, [])
        program.goals.append(([x for x, _ in terms], [weight for _, weight in terms], asked))
    for tier in (DRAIN, SPECULATIVE):
        program.goals.append((tiers[tier], [1] * len(tiers[tier]), 0))
    costs = [problem.cost(o, w) for o, w in program.pairs]
    program.goals.append((list(range(len(costs))), costs, 0))
    return program


def _ownership(problem: Ownership) -> Program:
    """x[g, s] domains of group g held by s in the end, next to the even share; come[g, s] new ones.

    sum_s x[g, s] = n_g;   come[g, s] >= x[g, s] - have[g, s];   off[s] >= total_s - ceil(N / S),
    off[s] >= floor(N / S) - total_s.   The first goal is 0 by the bounds of x.
    """
    shards = len(problem.open)
    program = Program(pairs=[(g, s) for g in range(len(problem.have)) for s in problem.open])
    everything = problem.counts
    for g, _ in program.pairs:
        program.variable(-(-everything[g] // shards), everything[g] // shards)
    come, total = [], [list[int]() for _ in problem.open]
    for g, count in enumerate(everything):
        columns = list(range(g * shards, (g + 1) * shards))
        program.rows.append((columns, [1] * shards, count, count))
        for at, s in enumerate(problem.open):
            total[at].append(columns[at])
            come.append(program.variable(max(0, program.upper[columns[at]] - problem.have[g][s])))
            program.at_most([columns[at], come[-1]], [1, -1], problem.have[g][s])
    off = []
    for columns in total:
        off.append(program.variable(sum(everything)))
        ones = [1] * len(columns)
        program.at_most([*columns, off[-1]], [*ones, -1], -(-sum(everything) // shards))
        least = sum(everything) // shards
        program.rows.append(([*columns, off[-1]], [*ones, 1], least, None))
    program.goals += [([], [], 0), (off, [1] * shards, 0), (come, [1] * len(come), 0)]
    return program


def _victims(problem: Victims) -> Program:
    """x[r, g] machines of row r for gang g, z[g, d] = 1 where it stands, k[w] = 1 for work hit.

    sum of x[r, g] over rows of d = size_g z[g, d];  sum_d z[g, d] <= 1;
    sum_g x[r, g] <= count_r;  x[r, g] <= count_r k[work of r]
    """
    program = Program(pairs=problem.pairs)
    of_row: dict[int, list[int]] = {}
    at: dict[tuple[int, int], list[int]] = {}
    for r, g in program.pairs:
        x = program.variable(min(problem.row_count[r], problem.gang_size[g]))
        of_row.setdefault(r, []).append(x)
        at.setdefault((g, problem.row_domain[r]), []).append(x)
    stands: dict[int, list[int]] = {}
    for (g, _), members in at.items():
        z = program.variable(1)
        stands.setdefault(g, []).append(z)
        weights = [*[1] * len(members), -problem.gang_size[g]]
        program.rows.append(([*members, z], weights, 0, 0))
    for columns in stands.values():
        program.at_most(columns, [1] * len(columns), 1)
    hit = [program.variable(int(once > 0)) for once in problem.work_once]
    for r, columns in of_row.items():
        program.at_most(columns, [1] * len(columns), problem.row_count[r])
        work = problem.row_work[r]
        if work >= 0 and problem.work_once[work] > 0:
            for x in columns:
                program.at_most([x, hit[work]], [1, -program.upper[x]], 0)
    drained = [x for x, (r, _) in enumerate(program.pairs) if problem.row_work[r] >= 0]
    lost = [problem.work_level[problem.row_work[program.pairs[x][0]]] for x in drained]
    for level in problem.levels:
        gangs = [g for g, of_it in enumerate(problem.gang_level) if of_it == level]
        columns = [z for g in gangs for z in stands.get(g, ())]
        weights = [-problem.gang_size[g] for g in gangs for _ in stands.get(g, ())]
        here = [x for x, of_it in zip(drained, lost, strict=True) if of_it == level]
        asked = sum(problem.gang_size[g] for g in gangs)
        program.goals.append(([*columns, *here], [*weights, *[1] * len(here)], asked))
    program.goals.append((drained, [1] * len(drained), 0))
    usd = [problem.row_usd[r] for r, _ in program.pairs]
    program.goals.append(([*range(len(usd)), *hit], [*usd, *problem.work_once], 0))
    return program
