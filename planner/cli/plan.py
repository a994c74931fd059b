"""The verb ``plan``: each shard's cycle, then the rebalancer on what stayed short."""

import click

from models.duration import parse_duration
from models.outcome import Outcome
from planner.cli.interruptible import interruptible
from planner.cli.options import (
    BASIC_FORMATS,
    Common,
    common_options,
    override_option,
    whole_number,
)
from planner.cli.output import show
from planner.cli.progress import working
from planner.cli.verdict import SHORT, tell
from planner.render.formats import Format


@click.command("plan")
@click.argument("fleet", metavar="FLEET")
@click.option(
    "--fail-on-shortfall", is_flag=True, help=f"Exit with status {SHORT} when a need stays short."
)
@common_options((*BASIC_FORMATS, Format.HTML))
@override_option(
    "--deadline", "rebalance.deadline", parse_duration, "DURATION",
    "Time for the solve, as in 5s; default: 20s.",
)  # fmt: skip
@override_option(
    "--seed", "rebalance.seed", whole_number, "NUMBER", "Seed of the solver; default: 0."
)
@override_option(
    "--workers", "rebalance.workers", whole_number, "NUMBER",
    "Threads of the solver; default: 0, one a core.",
)  # fmt: skip
@click.pass_obj
def command(common: Common, fleet: str, fail_on_shortfall: bool) -> None:
    """Cycle each shard, then serve what stays short from other shards, gangs also from their own.

    FLEET is a fleet file (YAML, JSON or Parquet), or - for standard input.

    \b
    Examples:
      bigfleet plan fleet.yaml
      bigfleet plan fleet.yaml --deadline 5s --seed 1 --workers 1 -o json
      bigfleet plan fleet.yaml -o html > plan.html
    """
    from planner.opening import open_fleet

    with working(f"reading {fleet}"):
        opened = open_fleet(fleet, common.sources())
    from planner.fence.asking import LATE
    from planner.planning import plan_fleet
    from planner.render.answers import plan_answer
    from rebalancer.settings import unweighed

    with working("solving"):
        planned = interruptible(lambda: plan_fleet(opened.fleet, opened.settings))
        answer = plan_answer(opened.fleet, planned.actions, planned.plan)
    for goal in unweighed(opened.settings, planned.plan):
        tell(f"goals.{goal}: left out, for this fleet is too large to weigh it.")
    if planned.complaint == LATE:
        tell(f"{LATE}; a longer --deadline may help.")
    elif planned.complaint:
        tell(f"this is a fault of BigFleet, please report: {planned.complaint[:2000]}")
    if planned.complaint and planned.plan.outcome is Outcome.FALLBACK:
        tell("The plan shown is that of the fast method, which keeps all rules.")
    show(answer, common.output)
    if fail_on_shortfall and any(unmet.count for unmet in planned.plan.unmet):
        click.get_current_context().exit(SHORT)
