"""The verb ``explain``: why a need is short, what happens to a machine, why a plan is as it is."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from models.nearest import did_you_mean
from planner.cli.options import Common, common_options, whole_number
from planner.cli.output import show
from planner.cli.progress import working

if TYPE_CHECKING:
    from planner.explain.asked_plan import AskedPlan
    from planner.explain.move import AskedMove, Forced
    from planner.opening import Opened
    from planner.render.formats import Answer

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
    from planner.opening import open_fleet

    with working(f"reading {fleet}"):
        opened = open_fleet(fleet, common.sources())
    match about:
        case "need" if why_not is not None:
            answer = _need_instead(opened, name, why_not)
        case "need":
            answer = _need(opened, name)
        case "machine":
            answer = _machine(opened, name)
        case "move":
            answer = _move(opened, name, why_not)
        case "room":
            answer = _room(opened, name, level, kind, priority)
        case _:
            answer = _plan(opened)
    show(answer, common.output)


def _meant(kind: str) -> str:
    return did_you_mean(kind, _KINDS) if kind not in _KINDS else "."


def _need(opened: "Opened", name: str) -> "Answer":
    from planner.cli.naming import need_row
    from planner.explain.need import explain_need
    from planner.explain.short import served_whole, why_short_of
    from planner.render.explain.need import need_answer

    fleet, settings, row = opened.fleet, opened.settings, need_row(opened, name)
    with working("deciding"):
        found = explain_need(fleet, settings, row)
    with working("planning"):
        why_short = why_short_of(fleet, settings, row) if found.is_short else served_whole()
    return need_answer(found, why_short, name)


def _machine(opened: "Opened", name: str) -> "Answer":
    from planner.cli.naming import machine_row
    from planner.explain.machine import explain_machine
    from planner.render.explain.machine import machine_answer

    row = machine_row(opened, name)
    with working("deciding"):
        found = explain_machine(opened.fleet, opened.settings, row)
    return machine_answer(found, name)


def _room(
    opened: "Opened", size: str, level: str | None, kind: str | None, priority: int | None
) -> "Answer":
    try:
        number = whole_number(size)
    except ValueError:
        number = 0
    if number < 1:
        shown = size if len(size) <= 20 else f"{size[:20]}..."
        message = f"room/{shown}: {shown!r} is not a whole number of 1 or more, below 2^63."
        raise click.UsageError(message)
    from planner.cli.naming import class_cells, level_key
    from planner.explain.room import AskedRoom, explain_room
    from planner.render.explain.room import room_answer

    asked = AskedRoom(number, level_key(opened, level), kind, priority)
    cells = class_cells(opened, kind)
    with working("deciding"):
        found = explain_room(opened.fleet, opened.settings, asked, cells)
    return room_answer(found)


def _plan(opened: "Opened") -> "Answer":
    from planner.explain.move import explain_plan
    from planner.render.explain.move import moves_answer

    return moves_answer(explain_plan(_solved(opened)))


def _move(opened: "Opened", name: str, why_not: str | None) -> "Answer":
    from planner.cli.naming import move_of
    from planner.explain.move import explain_instead, explain_move
    from planner.render.explain.move import move_answer

    forced = None if why_not is None else _forced(opened, why_not)
    asked = _solved(opened)
    move = move_of(opened, asked.plan.moves, name)
    if forced is None:
        found = _compared(lambda: explain_move(asked, move))
    else:
        found = _compared(lambda: explain_instead(asked, move.need, forced, move))
    return move_answer(found, name)


def _need_instead(opened: "Opened", name: str, why_not: str) -> "Answer":
    from planner.cli.naming import need_row
    from planner.explain.move import explain_instead
    from planner.render.explain.move import move_answer

    forced, need = _forced(opened, why_not), need_row(opened, name)
    asked = _solved(opened)
    return move_answer(_compared(lambda: explain_instead(asked, need, forced)), name)


def _solved(opened: "Opened") -> "AskedPlan":
    from planner.cli.interruptible import interruptible
    from planner.explain.asked_plan import asked_plan_of

    with working("solving"):
        return interruptible(lambda: asked_plan_of(opened.fleet, opened.settings, opened.path))


def _compared(ask: Callable[[], "AskedMove"]) -> "AskedMove":
    from planner.cli.interruptible import interruptible

    with working("asking for something else"):
        return interruptible(ask)


def _forced(opened: "Opened", text: str) -> "Forced":
    """Read what is to serve a need instead.

    Raises
    ------
    UsageError
        When it is neither machine/ID nor domain/NAME.
    InputFault
        When there is no such machine or domain.
    """
    from planner.cli.naming import domain_mask, machine_mask
    from planner.explain.move import Forced

    kind, _, name = text.partition("/")
    if kind not in ("machine", "domain") or not name:
        raise click.UsageError(f"--why-not {text!r} is not machine/ID or domain/NAME.")
    mask = domain_mask if kind == "domain" else machine_mask
    return Forced(text, mask(opened, name))
