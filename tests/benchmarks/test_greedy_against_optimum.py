"""The exact side against every assignment there is, and against matching theory; a smoke run."""

from itertools import product

import numpy as np
import pytest

from benchmarks.exact import Exact, Targets
from benchmarks.greedy import first_cycle, settled_cycles
from benchmarks.greedy_against_optimum import compare, compare_many, describe, smallest, table
from benchmarks.random_fleets import Kind, Shape, middle_shape, random_fleet
from hotpath.plain.attribution import Groups, fill
from models import labels
from models.columns import fleet_of
from models.cost import effective_cost_nanos
from models.machine import State
from models.settings import Settings


def able(row, need):
    """Whether a machine suits a need: labels and resources, read off the rows."""
    values = {labels.INSTANCE_TYPE: row.instance_type, labels.ZONE: row.labels[labels.ZONE]}
    return all(r.matches(values[r.key]) for r in need.requirements) and all(
        row.resources[name] >= amount for name, amount in need.resources.items()
    )


def may(row, n, needs):
    """Whether a machine may end with a need."""
    if not able(row, needs[n]):
        return False
    if row.cluster in (None, needs[n].cluster):
        return True
    return not row.pinned and (row.serves < 0 or needs[row.serves].priority < needs[n].priority)


def keeps(rows, n, members):
    """Whether a need's machines keep its rules."""
    need = rows.needs[n]
    if len(members) > need.count:
        return False
    if sum(row.interruption_probability > 0 for row in members) > need.count - need.floor:
        return False
    if need.same and members:
        return len(members) == need.count and len({row.labels[need.same] for row in members}) == 1
    for spread in need.spread:
        present = {row.labels[spread.key] for row in rows.machines if able(row, need)}
        totals = [sum(row.labels[spread.key] == d for row in members) for d in present]
        if totals and max(totals) - min(totals) > spread.max_skew:
            return False
    return True


def everything(rows):
    """Give every allowed end of a tiny fleet: for each machine a need or None."""
    choices = [
        [None, *(n for n in range(len(rows.needs)) if may(row, n, rows.needs))]
        for row in rows.machines
    ]
    for ends in product(*choices):
        members = [
            [row for row, end in zip(rows.machines, ends, strict=True) if end == n]
            for n in range(len(rows.needs))
        ]
        if all(keeps(rows, n, some) for n, some in enumerate(members)):
            yield ends


def levels_of(rows, ends):
    totals = {need.priority: 0 for need in rows.needs}
    for end in ends:
        if end is not None:
            totals[rows.needs[end].priority] += 1
    return tuple(sorted(totals.items(), reverse=True))


def cost_of(rows, ends):
    return sum(
        int(
            effective_cost_nanos(
                row.price_per_hour,
                row.interruption_probability,
                rows.needs[end].interruption_penalty,
            )
        )
        for row, end in zip(rows.machines, ends, strict=True)
        if end is not None and row.cluster is None
    )


def evicted(rows, ends):
    return [
        (row, rows.needs[row.serves])
        for row, end in zip(rows.machines, ends, strict=True)
        if end is not None and row.serves >= 0 and row.cluster != rows.needs[end].cluster
    ]


def damage_of(rows, ends):
    return sum(
        victim.interruption_penalty + max(row.reclamation_penalty, victim.reclamation_penalty)
        for row, victim in evicted(rows, ends)
    )


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("kind", list(Kind))
def test_the_exact_answer_is_the_best_of_all_there_are(kind, full):
    for seed in range(60):
        rows = random_fleet(seed, kind, Shape(4 + seed % 3, 2 + seed % 2, full))
        fleet, ends = fleet_of(rows), list(everything(rows))
        best = max(levels_of(rows, each) for each in ends)
        assert Exact(fleet).levels() == best
        alike = [each for each in ends if levels_of(rows, each) == best]
        kept = Targets(per_level=best)
        creates = [
            sum(
                end is not None and row.state is State.SPECULATIVE
                for row, end in zip(rows.machines, each, strict=True)
            )
            for each in alike
        ]
        assert Exact(fleet, kept).least_creates() == min(creates)
        assert Exact(fleet, kept).least_cost_nanos() == min(cost_of(rows, e) for e in alike)
        assert Exact(fleet, kept).least_evictions() == min(len(evicted(rows, e)) for e in alike)
        assert Exact(fleet, kept).least_damage_usd() == min(damage_of(rows, e) for e in alike)


def test_plain_levels_are_those_of_augmenting_paths():
    """Needs filled in order by augmenting paths serve the most at every level: a matroid."""
    for seed in range(10):
        rows = random_fleet(seed, Kind.PLAIN, middle_shape(seed, full=False))
        walk = sorted(range(len(rows.needs)), key=lambda n: -rows.needs[n].priority)
        fits = np.array([[may(row, n, rows.needs) for row in rows.machines] for n in walk])
        groups = Groups(
            size=np.ones(len(rows.machines), dtype=np.int64),
            fits=fits,
            # Nobody has anything yet.
            moves=np.ones(fits.shape, dtype=np.int64),
        )
        wanted = np.array([rows.needs[n].count for n in walk])
        served = fill(groups, wanted).sum(axis=1)
        totals = {need.priority: 0 for need in rows.needs}
        for n, got in zip(walk, served.tolist(), strict=True):
            totals[rows.needs[n].priority] += got
        assert Exact(fleet_of(rows)).levels() == tuple(sorted(totals.items(), reverse=True))


def test_greedy_counts_what_its_orders_did():
    for seed in range(10):
        kind = list(Kind)[seed % 5]
        rows = random_fleet(seed, kind, Shape(12, 3, full=seed % 2 == 1))
        greedy = (settled_cycles if seed % 2 else first_cycle)(rows, Settings())
        assert greedy.settled
        assert all(
            0 <= served <= need.count
            for served, need in zip(greedy.per_need, fleet_of(rows).needs, strict=True)
        )


@pytest.mark.parametrize("full", [False, True])
def test_smoke(full):
    found = compare_many(5, full=full)
    assert [one.kind for one in found] == list(Kind)
    assert all(one.proven and one.settled and one.fewer >= 0 for one in found)
    assert all(gap.greedy >= gap.least for one in found for gap in (one.first, one.second) if gap)
    lines = list(table(found, ("creates", "cost")))
    assert len(lines) == 2 + len(Kind) + 1
    assert len({line.count("|") for line in lines}) == 1


def test_a_smallest_example_is_one():
    rows, found = smallest(Kind.PLAIN, full=False, served=True)
    assert found.loses
    assert compare(rows, Kind.PLAIN, full=False) == found
    assert len(list(describe(rows))) == len(rows.needs) + len(rows.machines)
