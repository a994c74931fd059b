"""The part of ``explain`` that asks the plan: why a move, and why not something else."""

import click
import numpy as np

from planner.asked_plan import asked_plan_of
from planner.cli.interruptible import interruptible
from planner.cli.naming import domain_mask, machine_row, move_of, need_row
from planner.cli.progress import working
from planner.opening import Opened
from planner.render.formats import Answer
from planner.render.why_not import reasons_answer, why_not_answer
from planner.why_not import Forced, explain_instead, explain_move, explain_plan

PLAN = "plan"


def answer_about(opened: Opened, kind: str, name: str, why_not: str | None) -> Answer:
    """Answer a question about the plan: all its moves, one of them, or what it does not do.

    Raises
    ------
    InputFault
        When a name is none, or the fleet is too large to ask.
    """
    forced = None if why_not is None else _forced(opened, why_not)
    need = need_row(opened, name) if kind == "need" else None
    with working("solving"):
        asked = interruptible(lambda: asked_plan_of(opened.fleet, opened.settings, opened.path))
    if kind == PLAN:
        return reasons_answer(explain_plan(asked))
    move = None if need is not None else move_of(opened, asked.plan.moves, name)
    row = need if move is None else move.need
    assert row is not None
    with working("asking for something else"):
        if forced is not None:
            tree = interruptible(lambda: explain_instead(asked, row, forced, move))
        else:
            assert move is not None
            tree = interruptible(lambda: explain_move(asked, move))
    return why_not_answer(tree, name)


def _forced(opened: Opened, text: str) -> Forced:
    """Read what is to serve a need instead.

    Raises
    ------
    UsageError
        When it is neither machine/ID nor domain/NAME.
    InputFault
        When there is no such machine or domain.
    """
    kind, _, name = text.partition("/")
    if kind not in ("machine", "domain") or not name:
        raise click.UsageError(f"--why-not {text!r} is not machine/ID or domain/NAME.")
    if kind == "domain":
        return Forced(text, domain_mask(opened, name))
    rows = np.arange(len(opened.fleet.machines))
    return Forced(text, rows == machine_row(opened, name))
