"""The verb ``settings goals``: what each goal is, and how much it weighs."""

import click

from models.nearest import did_you_mean
from models.rules import Goal
from planner.cli.options import Common, common_options
from planner.cli.output import show


@click.command("goals", short_help="What each goal is, and how much it weighs.")
@click.argument("name", required=False, metavar="[NAME]")
@common_options()
@click.pass_obj
def command(common: Common, name: str | None) -> None:
    """Say what the goals of a plan are: unit, formula, meaning, and what a weight of x buys.

    With NAME only that goal. What doubling each weight does is measured in docs/goals.md.

    \b
    Examples:
      bigfleet settings goals
      bigfleet settings goals gang_spread
      bigfleet settings goals --settings settings.yaml -o wide
    """
    names = [str(goal) for goal in Goal]
    if name is not None and name not in names:
        raise click.UsageError(f"there is no goal {name!r}{did_you_mean(name, names)}")
    from planner.opening import open_settings
    from planner.render.goals import goals_answer

    settings = open_settings(common.sources())
    goals = [Goal(name)] if name is not None else list(Goal)
    show(goals_answer(goals, settings), common.output)
