"""The smallest changes by trying all of them, by size, with the planner itself."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, combinations_with_replacement

from builders import TOPOLOGY
from tiny_shortages import lacks

from models.machine import MachineRow, State
from models.need import Need
from models.rows import FleetRows
from models.rules import Rule
from rebalancer.explain.change import Change
from rebalancer.explain.terms import Term, terms_of
from rebalancer.explain.weights import weight_of

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


def lightest_drop(rows: FleetRows) -> int | None:
    """Give the least weight of what c0/n0 may drop so that nothing has to be added."""
    need = rows.needs[0]
    terms = [term for term in terms_of(need, ()) if term.is_asked]
    weights = []
    for size in range(1, len(terms) + 1):
        for chosen in combinations(terms, size):
            needs = (_without(need, set(chosen)), *rows.needs[1:])
            if not lacks(replace(rows, needs=needs)):
                weights.append(sum(weight_of(need, term, rows.topology) for term in chosen))
    return min(weights, default=None)


def dropped_weight(need: Need, change: Change) -> int:
    """Give what a change drops, weighed."""
    texts = {getattr(part, "text", "") for part in change.parts}
    terms = [term for term in terms_of(need, ()) if term.text in texts - {""}]
    return sum(weight_of(need, term, TOPOLOGY) for term in terms)


def fewest_given_up(rows: FleetRows) -> tuple[int, int] | None:
    """Give the lowest priority of another need, and the least by which it could shrink to serve."""
    found = []
    for at, other in enumerate(rows.needs):
        if at and other.priority <= rows.needs[0].priority:
            for by in range(1, other.count + 1):
                needs = [*rows.needs]
                needs[at] = replace(other, count=other.count - by)
                if not lacks(replace(rows, needs=tuple(needs))):
                    found.append((other.priority, by))
                    break
    return min(found, default=None)


def _without(need: Need, chosen: set[Term]) -> Need:
    of_rule = {rule: {t.index for t in chosen if t.rule is rule} for rule in Rule}
    resources = {term.resource for term in chosen if term.rule is Rule.FITS}
    return replace(
        need,
        requirements=tuple(
            each for at, each in enumerate(need.requirements) if at not in of_rule[Rule.MATCHES]
        ),
        resources={name: n for name, n in need.resources.items() if name not in resources},
        same=None if of_rule[Rule.DOMAIN] else need.same,
        spread=tuple(each for at, each in enumerate(need.spread) if at not in of_rule[Rule.SPREAD]),
        floor=0 if of_rule[Rule.FLOOR] else need.floor,
    )
