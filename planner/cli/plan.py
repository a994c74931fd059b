"""The verb ``plan``: each shard's cycle, then the rebalancer on what stayed short."""

from collections.abc import Sequence

import click

from models.duration import parse_duration
from models.outcome import Outcome
from models.problem import Problem
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

OWNERSHIP = "ownership"
"""A problem of its own: it says who owns what, the others who is served."""

LATENESS_SECONDS = 0.5
"""A plan that is later than this is told to be."""

FAST = "The plan shown is that of the fast method, which keeps all rules."

WORTH_A_WORD_SECONDS = 1.0
"""Cycles that take longer are told apart from the plan: the deadline does not bind them."""


@click.command("plan")
@click.argument("fleet", metavar="FLEET")
@click.option(
    "--problem",
    "problems",
    multiple=True,
    type=click.Choice([*map(str, Problem), OWNERSHIP]),
    help="What may be decided. Repeatable; default: all but ownership, which stands alone.",
)
@click.option(
    "--decommission",
    multiple=True,
    metavar="KEY=VALUE",
    help="With ownership: machines with this label leave the fleet. Repeatable.",
)
@click.option(
    "--retire",
    multiple=True,
    metavar="SHARD",
    help="With ownership: this shard goes, its clusters and machines to others. Repeatable.",
)
@click.option(
    "--merge",
    is_flag=True,
    help="With ownership: shards below a quarter of max_clusters and max_machines are merged.",
)
@click.option(
    "--progress", is_flag=True, help="Write on stderr how far the solve has come, line by line."
)
@click.option(
    "--fail-on-shortfall", is_flag=True, help=f"Exit with status {SHORT} when a need stays short."
)
@common_options((*BASIC_FORMATS, Format.HTML, Format.METRICS))
@override_option(
    "--deadline", "rebalance.deadline", parse_duration, "DURATION",
    "Time for the solve, as in 5s; default: 20s. Reading and cycles are not counted.",
)  # fmt: skip
@override_option(
    "--seed", "rebalance.seed", whole_number, "NUMBER", "Seed of the solver; default: 0."
)
@override_option(
    "--workers", "rebalance.workers", whole_number, "NUMBER",
    "Threads of the solver; default: 0, one a core.",
)  # fmt: skip
@click.pass_obj
def command(
    common: Common,
    fleet: str,
    problems: tuple[str, ...],
    decommission: tuple[str, ...],
    retire: tuple[str, ...],
    merge: bool,
    progress: bool,
    fail_on_shortfall: bool,
) -> None:
    """Cycle each shard, then serve what stays short from other shards, gangs also from their own.

    With --problem ownership, share out the free domains instead: every shard gets a like share of
    each class in whole domains, shards above rebalance.max_clusters or max_machines are split.

    At the deadline the best plan found so far is given, and where there is none yet, one that moves
    nothing.

    FLEET is a fleet file (YAML, JSON or Parquet), or - for standard input.

    \b
    Examples:
      bigfleet plan fleet.yaml
      bigfleet plan fleet.yaml --deadline 5s --seed 1 --workers 1 -o json
      bigfleet plan fleet.yaml -o html > plan.html
      bigfleet plan fleet.yaml -o metrics > plan.prom    # for a node exporter's text files
      bigfleet plan fleet.yaml --problem ownership --retire s3
    """
    owns, labels = _owns(problems, decommission, retire, merge), _labels(decommission)
    from planner.opening import open_fleet

    with working(f"reading {fleet}"):
        opened = open_fleet(fleet, common.sources())
    from planner.fence.asking import LATE
    from planner.owning import Wishes, own_fleet
    from planner.planning import plan_fleet
    from planner.render.answers import plan_answer
    from planner.timely import TOO_SHORT
    from rebalancer.settings import unweighed

    with working("solving", lines=progress) as hear:
        if owns:
            wishes = Wishes(labels, retire, merge)
            owned = interruptible(lambda: own_fleet(opened.fleet, opened.settings, wishes))
            known, planned = owned.fleet, owned.planned
        else:
            asked = [Problem(name) for name in problems] or list(Problem)
            known = opened.fleet
            planned = interruptible(lambda: plan_fleet(known, opened.settings, asked, hear))
        answer = plan_answer(known, planned)
    plan, complaint = planned.plan, planned.complaint
    for goal in () if owns or not plan.goals else unweighed(opened.settings, plan):
        tell(f"goals.{goal}: left out, for this fleet is too large to weigh it.")
    if complaint in (LATE, TOO_SHORT):
        tell(f"{complaint}; a longer --deadline may help.")
    elif complaint:
        tell(f"this is a fault of BigFleet, please report: {complaint[:2000]}")
    if plan.outcome is Outcome.FALLBACK and complaint != TOO_SHORT:
        tell(FAST if plan.goals else "The plan shown moves nothing.")
    if planned.cycles_seconds > WORTH_A_WORD_SECONDS:
        tell(f"The cycles took {planned.cycles_seconds:.1f} s, the plan {plan.seconds:.1f} s.")
    deadline = opened.settings.rebalance.deadline
    if plan.seconds > deadline + LATENESS_SECONDS:
        tell(f"The plan took {plan.seconds:.1f} s of {deadline:g} s: this machine is too busy.")
    show(answer, common.output)
    if fail_on_shortfall and any(unmet.count for unmet in planned.plan.unmet):
        click.get_current_context().exit(SHORT)


def _owns(
    problems: Sequence[str], decommission: Sequence[str], retire: Sequence[str], merge: bool
) -> bool:
    """Tell whether ownership is asked for, which no other problem may stand beside.

    Raises
    ------
    UsageError
        When one does, or a wish stands without it.
    """
    if OWNERSHIP in problems:
        if set(problems) != {OWNERSHIP}:
            raise click.UsageError(f"--problem {OWNERSHIP} stands alone.")
        return True
    wishes = {"--decommission": decommission, "--retire": retire, "--merge": merge}
    for flag, given in wishes.items():
        if given:
            raise click.UsageError(f"{flag} goes with --problem {OWNERSHIP}.")
    return False


def _labels(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Read labels, KEY=VALUE.

    Raises
    ------
    BadParameter
        When a text has no key or no value.
    """
    pairs = [text.partition("=") for text in texts]
    for text, (key, _, value) in zip(texts, pairs, strict=True):
        if not (key and value):
            raise click.BadParameter(
                f"{text!r} is not of the form KEY=VALUE.", param_hint="--decommission"
            )
    return tuple((key, value) for key, _, value in pairs)
