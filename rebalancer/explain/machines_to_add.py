"""Rows of a document for machines to add: like those of a cell, or made to a need's measure."""

from collections.abc import Sequence
from dataclasses import replace
from math import nan

from models import labels
from models.bootstrap import is_bootstrap_key
from models.machine import DEFAULT_PROVIDER, CapacityType, MachineRow, State
from models.need import Need
from models.requirement import Operator, Requirement, as_number
from models.rows_of_fleet import row_like
from models.rules import Rule
from rebalancer.explain.change import Add
from rebalancer.explain.scene import Scene
from rebalancer.explain.terms import Term

ADDED = "zz-added-{}"
"""Last by name: where nothing else decides, needs take what they took before."""


def like_cell(scene: Scene, cell: int, shard: int, count: int) -> Add:
    """Give idle machines like those of a cell."""
    fleet = scene.fleet
    name = fleet.classes[int(fleet.cells.class_index[cell])].name
    row = row_like(fleet, cell, ADDED, fleet.shards[shard].name)
    codes = fleet.cells.level_codes[cell].tolist()
    levels = zip(fleet.level_values, codes, strict=True)
    place = "/".join(values[code] for values, code in levels if code >= 0)
    return Add(replace(row, count=count, is_pattern=True), name, place)


def made_to_measure(scene: Scene, kept: Sequence[Term], shard: int, count: int) -> Add:
    """Give machines that have just what the need asks, for want of a class that does.

    Their price is unknown, and labels of which only some values will do have one of these.
    """
    need = scene.need
    asked = [need.requirements[term.index] for term in kept if term.rule is Rule.MATCHES]
    carried = {
        requirement.key: _any_value(scene, asked, requirement.key)
        for requirement in asked
        if requirement.operator not in (Operator.NOT_IN, Operator.DOES_NOT_EXIST)
    }
    if need.same is not None:
        carried.setdefault(need.same, "new")
    for term in kept:
        if term.rule is Rule.SPREAD:
            # The only value that a machine which suits has is even by itself.
            carried.setdefault(need.spread[term.index].key, "new")
    told = carried.pop(labels.CAPACITY_TYPE, None)
    capacity = CapacityType(told) if told in set(CapacityType) else _capacity(asked)
    row = MachineRow(
        id=ADDED,
        capacity_type=capacity,
        count=count,
        is_pattern=True,
        shard=scene.fleet.shards[shard].name,
        state=State.IDLE,
        provider=carried.pop(labels.PROVIDER, DEFAULT_PROVIDER),
        host_ref=f"host-{ADDED}",
        instance_type=carried.pop(labels.INSTANCE_TYPE, ""),
        price_per_hour=nan,
        resources={
            term.resource: need.resources[term.resource] for term in kept if term.rule is Rule.FITS
        },
        labels=carried,
    )
    return Add(row, None, "/".join(carried.values()))


def _capacity(asked: Sequence[Requirement]) -> CapacityType:
    """Give a capacity type that is allowed, on-demand if it is."""
    order = (CapacityType.ON_DEMAND, *CapacityType)
    allowed = (kind for kind in order if _meets(asked, labels.CAPACITY_TYPE, str(kind)))
    return next(allowed, CapacityType.ON_DEMAND)


def suits_row(need: Need, row: MachineRow, bootstrap_keys: Sequence[str]) -> bool:
    """Tell whether a machine of a row may serve a need: its requirements and resources."""
    carried: dict[str, str] = {
        **row.labels,
        labels.CAPACITY_TYPE: str(row.capacity_type),
        labels.PROVIDER: row.provider,
    }
    if row.instance_type:
        carried[labels.INSTANCE_TYPE] = row.instance_type
    return all(
        requirement.matches(carried.get(requirement.key))
        for requirement in need.requirements
        if not is_bootstrap_key(requirement.key, bootstrap_keys)
    ) and all(row.resources.get(name, 0) >= amount for name, amount in need.resources.items())


def _any_value(scene: Scene, asked: Sequence[Requirement], key: str) -> str:
    """Give a value of a label that meets all that is asked of it, one that the fleet has if any."""
    known = sorted({value for value in scene.fleet.cell_labels(key) if value is not None})
    named = [value for each in asked if each.key == key for value in each.values]
    bounds = [number for value in named if (number := as_number(value)) is not None]
    near = [str(int(number[0]) + step) for number in bounds for step in (0, 1, -1)]
    values = (value for value in (*known, *named, *near, "any") if _meets(asked, key, value))
    return next(values, "any")


def _meets(asked: Sequence[Requirement], key: str, value: str) -> bool:
    return all(r.key != key or r.matches(value) for r in asked)
