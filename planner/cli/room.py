"""The part of ``explain`` that asks for room: where could a gang stand, and whom would it cost?"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import click
import numpy as np

from hotpath.standing import standing_of
from models.errors import Fault, InputFault
from models.fleet import Fleet, Mask
from models.nearest import did_you_mean
from planner.cli.progress import working
from planner.deciding import decide_shards
from planner.opening import Opened
from planner.render.formats import Answer, Part
from planner.render.fragmentation import fragmentation_rows, fragmentation_table
from planner.render.table import Table, brief, dollars, or_dash
from planner.render.trees import number
from rebalancer.room.clearing import Clearing, cheapest_clearing
from rebalancer.room.fragments import fragments_of

ANY_PRIORITY = 2**31
"""Above every priority: all that runs may have to go."""


def answer_about_room(
    opened: Opened, size: str, level: str | None, kind: str | None, priority: int | None
) -> Answer:
    """Say where ``size`` machines of one kind, or of any, would fit together, and at what cost.

    ``level`` is a label key, the lowest of the topology by default; only needs below ``priority``
    give way, by default all.

    Raises
    ------
    UsageError
        When the size is no whole number of 1 or more.
    InputFault
        When the fleet has no such level or kind.
    """
    if not (size.isascii() and size.isdecimal() and int(size) > 0):
        raise click.UsageError(f"room/{size}: {size!r} is not a whole number of 1 or more.")
    fleet = opened.fleet
    key = _level(opened, level)
    cells = _cells(opened, kind)
    with working("deciding"):
        decided = decide_shards(fleet, opened.settings, range(len(fleet.shards)))
        standing = standing_of(fleet, decided)
        most = ANY_PRIORITY if priority is None else priority
        found = cheapest_clearing(standing, key, int(size), cells, most)
        fragments = fragments_of(standing)
    tree: dict[str, object] = {
        "size": int(size),
        "level": key,
        "class": kind,
        "priority": priority,
        "clearing": None if found is None else _clearing(fleet, found),
        "fragmentation": fragmentation_rows(fragments, fragments),
    }
    return _answer(tree)


def _level(opened: Opened, level: str | None) -> str:
    levels = opened.fleet.topology
    if level is None:
        if not levels:
            raise InputFault([Fault(f"{opened.path}: topology", "the fleet has no level.")])
        return levels[-1]
    if level not in opened.fleet.levels:
        message = f"there is no level {level!r}{did_you_mean(level, opened.fleet.levels)}"
        raise InputFault([Fault(f"{opened.path}: topology", message)])
    return level


def _cells(opened: Opened, kind: str | None) -> Mask:
    """Mark the cells, ``(C,)``, of the classes of that name."""
    fleet = opened.fleet
    names = [each.name for each in fleet.classes]
    if kind is not None and kind not in names:
        message = f"there is no class {kind!r}{did_you_mean(kind, names)}"
        raise InputFault([Fault(f"{opened.path}: machines", message)])
    asked = np.array([kind is None or name == kind for name in names], dtype=np.bool_)
    mask: Mask = asked[fleet.cells.class_index]
    return mask


def _clearing(fleet: Fleet, found: Clearing) -> dict[str, object]:
    return {
        "domain": found.domain,
        "shard": fleet.shards[found.shard].name,
        "free": found.free,
        "drains": len(found.machines),
        "machines": [fleet.machines.ids[row] for row in found.machines],
        "loses": [
            {"need": fleet.needs[row].name, "count": count} for row, count in found.loses.items()
        ],
        "damage": number(found.damage_usd),
    }


def _answer(tree: Mapping[str, object]) -> Answer:
    plain = cast(Mapping[str, Any], tree)
    clearing = plain["clearing"]

    def parts(wide: bool) -> Sequence[Part]:
        loses = clearing["loses"] if clearing else ()
        rows = [(or_dash(row["need"]), str(row["count"])) for row in loses]
        return [
            _said(plain),
            Table("Gives way", ("NEED", "COUNT"), rows, "", frozenset({"COUNT"})),
            fragmentation_table(plain["fragmentation"], wide),
        ]

    return Answer(tree, lambda: clearing["machines"] if clearing else [], parts)


def _said(plain: Mapping[str, Any]) -> str:
    what = f"{plain['size']} machines" + (f" of {plain['class']}" if plain["class"] else "")
    clearing = plain["clearing"]
    if clearing is None:
        return f"No domain of {plain['level']} in any shard could hold {what}."
    where = f"{clearing['domain']} in {clearing['shard']}"
    if not clearing["drains"]:
        return f"{what} fit in {where} now: {clearing['free']} are free there, or could be bought."
    return (
        f"{what} would fit in {where} if {clearing['drains']} of its machines were drained "
        f"({brief(clearing['machines'])}), beside {clearing['free']} that are free or could be "
        f"bought: {dollars(clearing['damage'])} of penalties."
    )
