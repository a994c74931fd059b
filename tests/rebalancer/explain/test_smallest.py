"""On tiny random fleets: what is ranked serves, has nothing to spare, and nothing less serves."""

from dataclasses import replace

import pytest
from all_changes import dropped_weight, fewest_given_up, lightest_drop, serving_bundle
from hypothesis import settings
from tiny_shortages import lacks, scene_in, tiny_fleet

from models.rows import FleetRows
from rebalancer.explain.apply import applied
from rebalancer.explain.change import Add, Change, ChangeKind, Reduce
from rebalancer.explain.short import why_short

SOAKING = settings.get_current_profile_name() == "soak"
FLEETS = {"plain": 24, "gang": 10, "spread": 12, "floor": 10, "plain of two shards": 6}
"""So many of each kind, thirty times as many for a soak."""


def asked(kind: str) -> list[tuple[FleetRows, tuple[Change, ...]]]:
    """Give the fleets in which c0/n0 is short for good, and the ranked changes of each."""
    shape, _, more = kind.partition(" of ")
    found = []
    for number in range(FLEETS[kind] * (30 if SOAKING else 1)):
        rows = tiny_fleet(number, shape, 2 if more else 1)
        scene = scene_in(rows)
        short = why_short(scene, lambda change, rows=rows: after(rows, change))
        if short.conflict is None:
            assert short.changes == ()
        else:
            found.append((rows, short.changes))
    return found


def after(rows: FleetRows, change: Change) -> int:
    return lacks(applied(rows, "c0", "n0", change), change)


def first(changes: tuple[Change, ...], kind: ChangeKind) -> Change | None:
    return next((change for change in changes if change.kind is kind), None)


@pytest.mark.parametrize("kind", FLEETS)
def test_changes_are_the_smallest(kind):
    cases = asked(kind)
    assert len(cases) >= FLEETS[kind] // 4
    for rows, changes in cases:
        assert changes
        assert len({str(change) for change in changes}) == len(changes)
        for change in changes:
            assert change.is_tried
            assert after(rows, change) == 0
            has_no_part_to_spare(rows, change)
        nothing_smaller_serves(rows, changes)


def has_no_part_to_spare(rows: FleetRows, change: Change) -> None:
    for place, part in enumerate(change.parts):
        rest = (*change.parts[:place], *change.parts[place + 1 :])
        assert after(rows, replace(change, parts=rest))
        less = None
        if isinstance(part, Add) and part.row.count > 1:
            less = replace(part, row=replace(part.row, count=part.row.count - 1))
        if isinstance(part, Reduce) and part.by > 1:
            less = replace(part, by=part.by - 1)
        if less is not None:
            parts = (*change.parts[:place], less, *change.parts[place + 1 :])
            assert after(rows, replace(change, parts=parts))


def nothing_smaller_serves(rows: FleetRows, changes: tuple[Change, ...]) -> None:
    fewest = first(changes, ChangeKind.FEWEST_MACHINES)
    if fewest is not None:
        for count in range(1, min(fewest.machines_added, 3)):
            assert serving_bundle(rows, count) is None
    weight = lightest_drop(rows)
    weakest = first(changes, ChangeKind.WEAKEST_REQUIREMENT)
    if weight is not None:
        assert weakest is not None
        assert weakest.machines_added == 0
        assert dropped_weight(rows.needs[0], weakest) == weight
    elif weakest is not None:
        assert weakest.machines_added > 0
    given = fewest_given_up(rows)
    lower = first(changes, ChangeKind.LOWER_NEED)
    if given is not None:
        assert lower is not None
        [part] = lower.parts
        assert isinstance(part, Reduce)
        assert (part.priority, part.by) == given
