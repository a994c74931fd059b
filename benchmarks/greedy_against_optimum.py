"""How far is the greedy cycle from the exact answer, on 200 random fleets of 60 to 200 machines?

``python -m benchmarks.greedy_against_optimum`` prints the tables; ``--smallest`` the smallest
fleets found, for each kind and phase, on which greedy loses.

Phase 1 is one cycle on a fleet in which everything that runs is pinned: attribution and assignment.
Phase 2 is cycles until nothing more is ordered, on a fleet that is mostly in use. Levels compare
lexicographically: the first priority at which the counts differ decides. Creates and cost compare
with the best for each need's count as greedy left it (cost: with as many creates at the most);
evictions and damage with the best for each level's count as greedy left it.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.exact import Exact, Targets, Unreachable
from benchmarks.greedy import Greedy, first_cycle, settled_cycles
from benchmarks.random_fleets import Kind, Shape, middle_shape, random_fleet
from models.columns import fleet_of
from models.fleet import Fleet
from models.machine import MachineRow
from models.need import Need
from models.rows import FleetRows
from models.settings import Settings, with_overrides

TOLERATED = 0.02
"""Costs over this share more than the least are a loss."""

NO_SPOT_RULES = with_overrides(
    Settings(), ["assign.price_tolerance=0", "assign.spot_max_share=1", "assign.scarce=[]"]
)
"""Without the rules that pay for diversity and for keeping scarce machines, only greed is left."""


@dataclass(frozen=True, slots=True)
class Gap:
    """How much more than the least; ``least`` is 0 where there is nothing to compare with."""

    greedy: int
    least: int

    @property
    def share(self) -> float:
        """Give the part by which greedy is above the least."""
        return (self.greedy - self.least) / self.least if self.least else float(self.greedy > 0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One fleet.

    Attributes
    ----------
    fewer
        Machines that greedy serves fewer at the first priority that differs; 0 for none, negative
        where it keeps part of a gang that it broke, which no exact answer does.
    lost_at
        That priority, None where the levels are equal.
    total
        Machines that greedy serves fewer in all; may be negative where it lost at a high level.
    asked
        Machines asked for.
    first, second
        Creates and cost in nano-USD; evictions and damage in USD. None where greedy keeps
        what no exact answer does: a part of a gang, or of a spread, that a higher need broke.
    proven
        Whether every solve was proven optimal.
    """

    kind: Kind
    fewer: int
    lost_at: int | None
    total: int
    asked: int
    first: Gap | None
    second: Gap | None
    proven: bool
    settled: bool

    @property
    def loses(self) -> bool:
        """Tell whether greedy serves fewer, or costs over the tolerated part more."""
        return self.fewer > 0 or (self.second is not None and self.second.share > TOLERATED)


def compare(
    rows: FleetRows, kind: Kind, *, full: bool, settings: Settings | None = None
) -> Comparison:
    """Solve one fleet both ways."""
    fleet = fleet_of(rows)
    run = settled_cycles if full else first_cycle
    greedy = run(rows, settings or Settings())
    exact = Exact(fleet)
    best, reached = exact.levels(), greedy.levels(fleet)
    gaps = _eviction_gaps if full else _assignment_gaps
    first, second, solved = gaps(fleet, greedy)
    at = next((p for (p, most), (_, has) in zip(best, reached, strict=True) if most != has), None)
    return Comparison(
        kind=kind,
        fewer=0 if at is None else dict(best)[at] - dict(reached)[at],
        lost_at=at,
        total=sum(dict(best).values()) - sum(greedy.per_need),
        asked=sum(need.count for need in fleet.needs),
        first=first,
        second=second,
        proven=exact.solved and solved,
        settled=greedy.settled,
    )


def _assignment_gaps(fleet: Fleet, greedy: Greedy) -> tuple[Gap, Gap, bool]:
    fewest = Exact(fleet, Targets(per_need=greedy.per_need))
    creates = Gap(greedy.creates, fewest.least_creates())
    cheapest = Exact(fleet, Targets(per_need=greedy.per_need, creates=greedy.creates))
    cost = Gap(greedy.cost_nanos, cheapest.least_cost_nanos())
    return creates, cost, fewest.solved and cheapest.solved


def _eviction_gaps(fleet: Fleet, greedy: Greedy) -> tuple[Gap | None, Gap | None, bool]:
    levels = greedy.levels(fleet)
    fewest = Exact(fleet, Targets(per_level=levels))
    mildest = Exact(fleet, Targets(per_level=levels, evictions=greedy.evictions))
    try:
        evictions = Gap(greedy.evictions, fewest.least_evictions())
        damage = Gap(greedy.damage_usd, mildest.least_damage_usd())
    except Unreachable:
        return None, None, True
    return evictions, damage, fewest.solved and mildest.solved


def compare_many(fleets: int, *, full: bool, settings: Settings | None = None) -> list[Comparison]:
    """Compare seeded fleets, the kinds in turn."""
    kinds = list(Kind)
    return [
        compare(
            random_fleet(seed, kinds[seed % len(kinds)], middle_shape(seed, full=full)),
            kinds[seed % len(kinds)],
            full=full,
            settings=settings,
        )
        for seed in range(fleets)
    ]


def table(found: Sequence[Comparison], names: tuple[str, str]) -> Iterator[str]:
    """Give a table in Markdown, one row a kind and one for all."""
    first, second = names
    yield (
        "| fleets | n | serves fewer | gap of the level: mean, worst | gap in all, of all asked |"
        f" {first}: more, in sum, worst | {second}: over 2 % more, in sum, worst |"
        " open | unsettled |"
    )
    yield "|---|--:|--:|--:|--:|---|---|--:|--:|"
    for kind in (*Kind, None):
        some = [one for one in found if kind in (None, one.kind)]
        if some:
            yield _row("**all**" if kind is None else str(kind), some)


def _row(name: str, some: Sequence[Comparison]) -> str:
    losers = [one.fewer for one in some if one.fewer > 0]
    cells = (
        name,
        len(some),
        f"{len(losers)} ({len(losers) / len(some):.0%})",
        f"{sum(losers) / len(some):.1f}, {max(losers, default=0)}",
        f"{sum(one.total for one in some) / sum(one.asked for one in some):.1%}",
        _spread_of([one.first for one in some if one.first is not None], 0.0),
        _spread_of([one.second for one in some if one.second is not None], TOLERATED),
        sum(not one.proven for one in some),
        sum(not one.settled for one in some),
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def _spread_of(gaps: Sequence[Gap], tolerated: float) -> str:
    """Give how many are above, the gap of the sums, and the worst one."""
    if not gaps:
        return "-"
    over = sum(gap.share > tolerated for gap in gaps)
    together = Gap(sum(gap.greedy for gap in gaps), sum(gap.least for gap in gaps))
    worst = max(gap.share for gap in gaps)
    return f"{over} of {len(gaps)} ({over / len(gaps):.0%}), {together.share:+.1%}, {worst:+.0%}"


def smallest(
    kind: Kind, *, full: bool, served: bool, tries: int = 150
) -> tuple[FleetRows, Comparison] | None:
    """Find the smallest fleet on which greedy serves fewer, or else costs over 2 % more."""
    for machines in range(2, 13):
        for seed in range(tries):
            rows = random_fleet(seed, kind, Shape(machines, 2 + seed % 3, full))
            found = compare(rows, kind, full=full, settings=NO_SPOT_RULES)
            if found.fewer > 0 if served else (found.loses and found.fewer <= 0):
                return rows, found
    return None


def describe(rows: FleetRows) -> Iterator[str]:
    """Give a small fleet as lines of text."""
    for need in rows.needs:
        yield "  " + _need_line(need)
    for row in rows.machines:
        yield "  " + _machine_line(row, rows.needs)


def _need_line(need: Need) -> str:
    asks = ", ".join(f"{r.key} in {'/'.join(r.values)}" for r in need.requirements)
    extra = (
        (f", in one {need.same}" if need.same else "")
        + (", spread over zones" if need.spread else "")
        + (f", floor {need.floor}" if need.floor else "")
    )
    return (
        f"need {need.cluster}/{need.id}: {need.count} at priority {need.priority}{extra}; {asks};"
        f" {dict(need.resources)}; penalties {need.interruption_penalty:g},"
        f" {need.reclamation_penalty:g}; drain {need.drain_seconds:g} s"
    )


def _machine_line(row: MachineRow, needs: Sequence[Need]) -> str:
    serves = f" for {needs[row.serves].id}" if row.serves >= 0 else ""
    return (
        f"machine {row.id}: {row.instance_type} {row.capacity_type} {row.state.name}{serves},"
        f" {' '.join(row.labels.values())}, {dict(row.resources)}, {row.price_per_hour:g} USD/h,"
        f" p {row.interruption_probability:g}, penalty {row.reclamation_penalty:g}"
    )


def report(fleets: int) -> Iterator[str]:
    """Give the tables."""
    assignment = ("creates", "effective cost")
    yield "Phase 1 and attribution, as set by default:"
    yield from ("", *table(compare_many(fleets, full=False), assignment), "")
    yield "The same without the rules of spot diversity and of scarce resources:"
    plain = compare_many(fleets, full=False, settings=NO_SPOT_RULES)
    yield from ("", *table(plain, assignment), "")
    yield "Phase 2, with preemption, until nothing more is ordered:"
    yield from ("", *table(compare_many(fleets, full=True), ("evictions", "damage")), "")


def examples() -> Iterator[str]:
    """Give the smallest fleets found on which greedy loses."""
    for full in (False, True):
        for kind in Kind:
            for served in (True, False):
                found = smallest(kind, full=full, served=served)
                what = "serves fewer" if served else "costs more"
                yield f"phase {1 + full}, {kind}, {what}:" + (
                    " none found" if found is None else ""
                )
                if found is not None:
                    yield from (*describe(found[0]), f"  {found[1]}", "")


def main() -> None:
    """Print the tables, or the examples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fleets", type=int, default=200)
    parser.add_argument("--smallest", action="store_true")
    asked = parser.parse_args()
    for line in examples() if asked.smallest else report(asked.fleets):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
