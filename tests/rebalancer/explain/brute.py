"""The smallest changes by trying all of them, by size, with the planner itself."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, combinations_with_replacement

from tiny import lacks

from models.machine import MachineRow, State
from models.need import Need
from models.rows import FleetRows

MOST_BUNDLES = 150
"""Ways to add so many machines that are tried; in larger fleets those of one kind alone."""


def bundles(rows: FleetRows, count: int) -> Iterator[tuple[MachineRow, ...]]:
    """Give the ways to add ``count`` idle machines like some of the fleet, to any shard."""
    kinds: dict[tuple[object, ...], MachineRow] = {}
    for row in rows.machines:
        for shard in rows.shards:
            key = (row.instance_type, tuple(sorted(row.labels.items())), shard.name)
            kinds.setdefault(key, replace(row, shard=shard.name))
    ways = list(combinations_with_replacement(kinds.values(), count))
    if len(ways) > MOST_BUNDLES:
        ways = [(kind,) * count for kind in kinds.values()]
    for way in ways:
        yield tuple(
            replace(
                kind, id=f"try{at}", host_ref=f"host-try{at}", count=1, is_pattern=False,
                state=State.IDLE, cluster=None, serves=-1,
            )
            for at, kind in enumerate(way)
        )  # fmt: skip


def serving_bundle(rows: FleetRows, count: int) -> tuple[MachineRow, ...] | None:
    """Give a way to serve c0/n0 with ``count`` machines more; None where there is none."""
    for bundle in bundles(rows, count):
        if not lacks(replace(rows, machines=[*rows.machines, *bundle])):
            return bundle
    return None


def lighter_drops(need: Need) -> Iterator[tuple[Need, int]]:
    """Give the need without every set of what it asks, and how many things that leaves out."""
    asked = [
        *(("requirement", at) for at in range(len(need.requirements))),
        *(("resource", name) for name in need.resources),
        *([("same", None)] if need.same else []),
        *(("spread", at) for at in range(len(need.spread))),
        *([("floor", None)] if need.floor else []),
    ]
    for size in range(1, len(asked) + 1):
        for chosen in combinations(asked, size):
            yield _without(need, set(chosen)), chosen


def _without(need: Need, chosen: set[tuple[str, object]]) -> Need:
    return replace(
        need,
        requirements=tuple(
            each for at, each in enumerate(need.requirements) if ("requirement", at) not in chosen
        ),
        resources={k: v for k, v in need.resources.items() if ("resource", k) not in chosen},
        same=None if ("same", None) in chosen else need.same,
        spread=tuple(each for at, each in enumerate(need.spread) if ("spread", at) not in chosen),
        floor=0 if ("floor", None) in chosen else need.floor,
    )
