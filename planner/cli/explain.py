"""The verb ``explain``: why a need is short, what happens to a machine, why a plan is as it is."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import click

from models.nearest import did_you_mean
from planner.cli.options import Common, common_options
from planner.cli.output import show
from planner.cli.progress import working
from planner.render.formats import Answer, Part
from planner.render.table import Table, or_dash
from planner.render.tables import action_table, plain_number
from planner.render.why_short import why_short_tables

_KINDS = ("need", "machine", "move", "room")

_PLAN = "plan"

_KINDS_SAID = "need/ID, machine/ID, move/ID, room/N or plan"


@click.command("explain")
@click.argument("fleet", metavar="FLEET")
@click.argument("what", metavar="need/ID|machine/ID|move/ID|room/N|plan")
@click.option(
    "--why-not",
    metavar="machine/ID|domain/NAME",
    help="With a need or a move: what if the plan served the need from there?",
)
@click.option("--level", metavar="KEY", help="With room: together on which level; the lowest.")
@click.option("--class", "kind", metavar="NAME", help="With room: of which class; of any.")
@click.option(
    "--priority", type=int, help="With room: only what serves a lower priority gives way; all."
)
@common_options()
@click.pass_obj
def command(
    common: Common,
    fleet: str,
    what: str,
    why_not: str | None,
    level: str | None,
    kind: str | None,
    priority: int | None,
) -> None:
    """Say how a need or a machine stands, and what the next cycle does about it.

    Of a need that a plan leaves short: which of its requirements and of the rules are in conflict,
    and the smallest changes that would serve it, ranked.

    Of a move: its reason, what each goal gains or pays by it, and what the best plan without it
    would be. With --why-not: what the best plan would be in which the need has that machine, or
    one of that domain (a gang: all it lacks), and which weight of a goal would turn the choice.
    NAME is a domain of any level, KEY=NAME where several levels have one of that name.

    Of room/N: where N machines would fit together, and the cheapest clearing that makes room.

    FLEET is a fleet file (YAML, JSON or Parquet), or - for standard input.

    \b
    Examples:
      bigfleet explain fleet.yaml need/train
      bigfleet explain fleet.yaml need/a/train -o json
      bigfleet explain fleet.yaml machine/gpu-17
      bigfleet explain fleet.yaml move/m3
      bigfleet explain fleet.yaml need/train --why-not machine/gpu-17
      bigfleet explain fleet.yaml need/train --why-not domain/zone-b
      bigfleet explain fleet.yaml room/16 --level example.com/rack
    """
    about, slash, name = what.partition("/")
    if what != _PLAN and (about not in _KINDS or not slash or not name):
        raise click.UsageError(f"{what!r} is not {_KINDS_SAID}{_meant(about)}")
    if why_not is not None and about not in ("need", "move"):
        raise click.UsageError("--why-not goes with need/ID or move/ID.")
    if about != "room" and not (level is None and kind is None and priority is None):
        raise click.UsageError("--level, --class and --priority go with room/N.")
    from planner.cli.naming import machine_row, need_row
    from planner.opening import open_fleet

    with working(f"reading {fleet}"):
        opened = open_fleet(fleet, common.sources())
    if about == "room":
        from planner.cli.room import answer_about_room

        show(answer_about_room(opened, name, level, kind, priority), common.output)
        return
    if why_not is not None or about in ("move", _PLAN):
        from planner.cli.why_not import answer_about

        show(answer_about(opened, about, name, why_not), common.output)
        return
    row = need_row(opened, name) if about == "need" else machine_row(opened, name)

    from planner.deciding import decide_shards, finish_shards
    from planner.explaining import Case, explain_machine, explain_need

    if about == "need":
        shard = opened.fleet.shard_of_need(row)
    else:
        shard = int(opened.fleet.machines.shard[row])
    with working("deciding"):
        decided = decide_shards(opened.fleet, opened.settings, [shard])
        [cycle] = finish_shards(opened.fleet, opened.settings, decided)
    case = Case(opened.fleet, decided[0], cycle)
    tree = explain_need(case, row) if about == "need" else explain_machine(case, row)
    if about == "need":
        from planner.why_short import served_whole, why_short_of

        is_asked = bool(tree["shortfall"] or tree["loses"])
        with working("planning"):
            tree["whyShort"] = (
                why_short_of(opened.fleet, opened.settings, row) if is_asked else served_whole()
            )
    show(_answer(tree, about, name), common.output)


def _meant(kind: str) -> str:
    return did_you_mean(kind, _KINDS) if kind not in _KINDS else "."


def _answer(tree: Mapping[str, object], kind: str, name: str) -> Answer:
    # The trees of planner.explaining hold plain values; their type says less.
    plain = cast(Mapping[str, Any], tree)

    def parts(wide: bool) -> list[Part]:
        facts = [(_heading(key), _said(value)) for key, value in plain.items() if key not in _LISTS]
        tables = [Table(f"{kind} {name}", ("FACT", "VALUE"), facts)]
        orders = [*plain.get("ordered", ()), *plain.get("loses", ())]
        tables += [action_table(orders)] if orders else []
        tables += why_short_tables(plain.get("whyShort"))
        classes, needs = plain.get("classes", ()), plain.get("needs", ())
        if wide or len(classes) + len(needs) <= _FEW:
            tables += [_classes(classes), _words(plain.get("words", {})), _needs(needs)]
        return [*tables]

    return Answer(tree, lambda: [name], parts)


_LISTS = frozenset({"ordered", "loses", "classes", "needs", "words", "whyShort"})
"""What has a table of its own."""

_FEW = 20
"""Rows that the plain table shows of classes or needs; with more it leaves them to ``wide``."""


def _classes(classes: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        (
            or_dash(row["class"]),
            plain_number(row["effectiveCost"]),
            plain_number(row["dearerBy"]),
            str(row["held"]),
            _said(row["chosenAs"]),
            _said(row["lost"]),
            _said(row["refused"]),
        )
        for row in classes
    ]
    headings = ("CLASS", "EFFECTIVE USD/H", "DEARER BY", "HELD", "CHOSEN", "LOST", "REFUSED")
    return Table("Classes of its shard, at its turn", headings, rows, "", frozenset(headings[1:4]))


def _words(words: Mapping[str, str]) -> Table:
    return Table("What the names mean", ("NAME", "MEANING"), [*words.items()])


def _needs(needs: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        (or_dash(row["need"]), str(row["priority"]), row["outcome"], or_dash(_why(row)))
        for row in needs
    ]
    headings = ("NEED", "PRIORITY", "OUTCOME", "WHY")
    return Table("Needs of its shard, in turn", headings, rows, "", frozenset({"PRIORITY"}))


def _why(row: Mapping[str, Any]) -> str:
    dearer, taken = row["dearerBy"], row["takenBefore"]
    by = f", by {plain_number(dearer)} USD/h" if dearer is not None else ""
    before = f"; {taken} had taken it before" if taken is not None else ""
    return f"{row['why']}{by}{before}"


def _heading(key: str) -> str:
    """Give ``freeElsewhere`` as ``free elsewhere``."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in key)


def _said(value: object) -> str:
    """Give a fact in words."""
    match value:
        case {"action": verb, "reason": reason}:
            return f"{verb}: {reason}" if reason else str(verb)
        case {"reason": reason, "count": count}:
            return f"{count}, {reason}"
        case dict():
            return ", ".join(f"{count} x {name}" for name, count in value.items()) or "-"
        case bool():
            return "yes" if value else "no"
    return or_dash(value)
