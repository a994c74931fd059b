"""Room for a gang, as a plain tree, a sentence and tables."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from models.fleet import Fleet
from planner.explain.room import Room
from planner.render.formats import Answer, Part
from planner.render.fragmentation import fragmentation_rows, fragmentation_table
from planner.render.table import Table, brief, dollars, or_dash
from planner.render.trees import Row, number
from rebalancer.room.clearing import Clearing


def room_answer(room: Room) -> Answer:
    """Say where so many machines would fit, and at what cost; its names are those drained."""
    tree = room_tree(room)
    # This tree holds plain values; its type says less.
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


def room_tree(room: Room) -> Row:
    """Give what was asked for, the cheapest clearing and how broken up the free machines are."""
    asked, found = room.asked, room.clearing
    return {
        "size": asked.size,
        "level": asked.level,
        "class": asked.kind,
        "priority": asked.priority,
        "clearing": None if found is None else _clearing(room.fleet, found),
        "fragmentation": fragmentation_rows(room.fragments, room.fragments),
    }


def _clearing(fleet: Fleet, found: Clearing) -> Row:
    return {
        "domain": found.domain,
        "shard": fleet.shards[found.shard].name,
        "idle": found.idle,
        "new": found.new,
        "drains": len(found.machines),
        "machines": [fleet.machines.ids[row] for row in found.machines],
        "loses": [
            {"need": fleet.needs[row].name, "count": count} for row, count in found.loses.items()
        ],
        "damage": number(found.damage_usd),
    }


def _said(plain: Mapping[str, Any]) -> str:
    what = f"{plain['size']} machines" + (f" of {plain['class']}" if plain["class"] else "")
    clearing = plain["clearing"]
    if clearing is None:
        return f"No domain of {plain['level']} in any shard could hold {what}."
    where = f"{clearing['domain']} in {clearing['shard']}"
    idle, new, drains = clearing["idle"], clearing["new"], clearing["drains"]
    if drains:
        return (
            f"{what} would fit in {where} if {drains} of its machines were drained "
            f"({brief(clearing['machines'])}), beside {idle} that are idle and {new} that could be "
            f"bought: {dollars(clearing['damage'])} of penalties."
        )
    buys = plain["size"] - idle
    if buys > 0:
        verb = "is" if buys == 1 else "are"
        return f"{what} fit in {where} if {buys} {verb} bought beside {idle} that are idle."
    return f"{what} fit in {where} now: {idle} are idle there."
