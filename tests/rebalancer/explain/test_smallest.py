"""On tiny random fleets: what is ranked serves, has nothing to spare, and nothing less serves."""

from collections import Counter, defaultdict
from dataclasses import replace
from math import inf, isnan

import pytest
from all_changes import bundles, dropped_weight, fewest_given_up, lightest_drop, serving_bundle
from hypothesis import settings
from tiny_shortages import lacks, scene_in, tiny_fleet

from models import labels
from models.machine import State
from models.requirement import Operator, Requirement
from models.rows import FleetRows
from rebalancer.explain.apply import applied
from rebalancer.explain.change import Add, Change, ChangeKind, Reduce
from rebalancer.explain.short import why_short

OFTEN = defaultdict(
    lambda: [ChangeKind.FEWEST_MACHINES, ChangeKind.WEAKEST_REQUIREMENT],
    {"rivals": [ChangeKind.LOWER_NEED], "last": [ChangeKind.LOWEST_PRICE]},
)
"""What changes of a kind of fleet must be among, so that each is looked at."""

ADDING = (ChangeKind.FEWEST_MACHINES, ChangeKind.LOWEST_PRICE)

SOAKING = settings.get_current_profile_name() == "soak"
FLEETS = {
    "plain": 24, "gang": 10, "spread": 12, "floor": 10, "plain of two shards": 10,
    "rivals": 24, "last": 40,
}  # fmt: skip
"""So many of each kind, thirty times as many for a soak."""


def asked(kind: str) -> list[tuple[FleetRows, tuple[Change, ...]]]:
    """Give the fleets in which c0/n0 is short for good, and the ranked changes of each."""
    found = []
    for number in range(FLEETS[kind] * (30 if SOAKING else 1)):
        rows = fleet(number, kind)
        scene = scene_in(rows)
        short = why_short(scene, lambda change, rows=rows: after(rows, change))
        if short.conflict is None:
            assert short.changes == ()
        else:
            found.append((rows, short.changes))
    return found


def fleet(number: int, kind: str) -> FleetRows:
    """Give a fleet whose c0/n0 may be short.

    Of rivals, all needs are as high and hold what there is; "last" asks little, after
    others that lack some of the cheapest.
    """
    shape, _, more = kind.partition(" of ")
    if shape == "rivals":
        return rivals(tiny_fleet(number))
    if shape == "last":
        rows = tiny_fleet(number)
        asked, *others = rows.needs
        cheap = (Requirement(labels.INSTANCE_TYPE, Operator.IN, ("cheap", "cpu")),)
        others = [
            replace(need, count=2, priority=500_000, requirements=cheap, resources={})
            for need in others
        ]
        return replace(
            rows,
            needs=(
                replace(asked, count=4, priority=0, requirements=(), resources={"cpu": 16000}),
                *others,
            ),
        )
    return tiny_fleet(number, shape, 2 if more else 1)


def rivals(rows: FleetRows) -> FleetRows:
    """Give all machines to the other needs, which are of another cluster."""
    asked, *others = rows.needs
    needs = (
        replace(asked, count=2, priority=50_000),
        *(
            replace(need, cluster="c1", count=4, priority=50_000, requirements=())
            for need in others
        ),
    )
    machines = []
    for at, row in enumerate(rows.machines):
        holder = 1 + at % len(others)
        machines.append(
            replace(
                row, state=State.CONFIGURED, serves=holder, cluster=needs[holder].cluster, count=2,
                host_ref=f"host-{row.id}",
            )
        )  # fmt: skip
    return replace(rows, needs=needs, machines=machines)


def after(rows: FleetRows, change: Change) -> int:
    return lacks(applied(rows, "c0", "n0", change), change)


def first(changes: tuple[Change, ...], kind: ChangeKind) -> Change | None:
    return next((change for change in changes if change.kind is kind), None)


@pytest.mark.parametrize("kind", FLEETS)
def test_changes_are_the_smallest(kind):
    cases = asked(kind)
    assert len(cases) >= FLEETS[kind] // 4
    seen = Counter(change.kind for _, changes in cases for change in changes)
    for often in OFTEN[kind]:
        assert seen[often] >= 3, seen
    for rows, changes in cases:
        assert changes
        assert len({str(change) for change in changes}) == len(changes)
        for change in changes:
            assert change.is_tried
            assert after(rows, change) == 0
            has_no_part_to_spare(rows, change)
        nothing_smaller_serves(rows, changes)
        nothing_cheaper_serves(rows, changes)


def test_machines_for_earlier_needs_may_be_the_cheapest_though_they_do_not_suit():
    """Two needs for cpu hold what has gpu; with spot machines for them they leave it."""
    rows = tiny_fleet(129)
    changes = why_short(scene_in(rows), lambda change: after(rows, change)).changes
    fewest = first(changes, ChangeKind.FEWEST_MACHINES)
    cheapest = first(changes, ChangeKind.LOWEST_PRICE)
    assert fewest is not None
    assert cheapest is not None
    [part] = cheapest.parts
    assert isinstance(part, Add)
    assert (part.row.instance_type, part.row.count) == ("cheap", 3)
    assert cheapest.price_per_hour < fewest.price_per_hour
    assert "gpu" in rows.needs[0].resources
    assert not part.row.resources.get("gpu")


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


def nothing_cheaper_serves(rows: FleetRows, changes: tuple[Change, ...]) -> None:
    """Of machines all alike; see the decision for what else might be cheaper."""
    added = [change for change in changes if change.kind in ADDING]
    prices = [inf if isnan(each.price_per_hour) else each.price_per_hour for each in added]
    price = min(prices, default=0.0)
    for count in range(1, 4):
        for bundle in bundles(rows, count):
            kinds = {(row.instance_type, row.shard, *row.labels.values()) for row in bundle}
            if len(kinds) == 1 and sum(row.price_per_hour for row in bundle) < price:
                assert lacks(replace(rows, machines=[*rows.machines, *bundle])), bundle


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
