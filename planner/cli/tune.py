"""The verb ``tune``: which weights of the goals give which plans, and what they trade."""

import os
from typing import TYPE_CHECKING

import click

from models.duration import parse_duration
from planner.cli.options import (
    BASIC_FORMATS,
    Common,
    common_options,
    override_option,
    whole_number,
)
from planner.cli.output import show
from planner.cli.progress import counting, working
from planner.cli.verdict import MOST_FAULTS, tell
from planner.render.formats import Format

if TYPE_CHECKING:
    from planner.tune.tuned import Tuned


@click.command("tune")
@click.argument("fleets", nargs=-1, required=True, metavar="FLEET...")
@click.option("--weight", "weights", multiple=True, required=True,
              metavar="GOAL=LO:HI[:STEPS][:log]",
              help="Weights of a goal to try, USD a unit, 5 steps unless given; log spaces them by "
              "a common factor. Repeatable: every combination is tried.")  # fmt: skip
@click.option("--search", type=click.Choice(("grid", "pareto")), default="grid", show_default=True,
              help="Try every combination, or let Optuna look for the Pareto front; needs "
              "bigfleet[tune].")  # fmt: skip
@click.option("--trials", type=click.IntRange(1, 10_000), default=100, show_default=True,
              help="With --search pareto: how many to try.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1, 1024), metavar="NUMBER",
              help="Processes that solve at a time; default: one a core.")  # fmt: skip
@click.option("--dask", metavar="ADDRESS",
              help="Solve on the Dask cluster with this scheduler, as in tcp://host:8786; "
              "needs bigfleet[dask].")  # fmt: skip
@click.option("--journal", metavar="FILE",
              help="Keep every result in this file; where it is there already, go on from it."
              )  # fmt: skip
@click.option("--write", metavar="FILE",
              help="Write a settings file with the weights of the knee, or of --pick.")  # fmt: skip
@click.option("--pick", type=click.IntRange(0, 10_000), metavar="NUMBER",
              help="With --write: the trial whose weights to write.")  # fmt: skip
@common_options((*BASIC_FORMATS, Format.HTML))
@override_option(
    "--deadline", "rebalance.deadline", parse_duration, "DURATION",
    "For each solve, as in 5s; counted in work, not by the clock. Default: 20s.",
)  # fmt: skip
@override_option(
    "--seed", "rebalance.seed", whole_number, "NUMBER", "Seed of the solver and of the search."
)
@click.pass_obj
def command(
    common: Common,
    fleets: tuple[str, ...],
    weights: tuple[str, ...],
    search: str,
    trials: int,
    jobs: int | None,
    dask: str | None,
    journal: str | None,
    write: str | None,
    pick: int | None,
) -> None:
    """Solve each FLEET by many weights of the goals, and show what they trade for each other.

    The table has each different result once: how many trials have it and with which weights, what
    is served, drained and created, and every goal that varies; > marks the present weights, * the
    knee of the Pareto front. -o wide has every trial, -o html the picture too. Of several fleets
    sums are shown.

    Each solve has one thread, so that the same sweep has the same results wherever it runs. The
    orders of the shards do not depend on weights and are not shown.

    \b
    Examples:
      bigfleet tune fleet.yaml --weight moves=0.01:10:10:log
      bigfleet tune mon.yaml tue.yaml --weight running_cost=0:2 --weight time_to_ready=0:0.01
      bigfleet tune fleet.yaml --weight moves=0.01:10:50:log --journal sweep.jsonl --write new.yaml
      bigfleet tune fleet.yaml --weight moves=0:10 --search pareto --trials 200 -o html > front.html
    """
    if pick is not None and write is None:
        raise click.UsageError("--pick goes with --write.")
    if dask is not None and jobs is not None:
        raise click.UsageError("--jobs counts processes of this machine, and --dask needs none.")
    from planner.tune.named_files import check_outputs
    from planner.tune.request import check_installed, request_of

    check_outputs([*fleets, *common.settings], journal, write)
    if search == "pareto":
        check_installed("optuna", "--search pareto", "tune")
    if dask is not None:
        check_installed("distributed", "--dask", "dask")
    if common.output is Format.HTML:
        check_installed("matplotlib", "-o html", "tune")
    from planner.tune.tuning import Means, tune, write_weights

    with working("reading " + ", ".join(fleets)):
        sources = common.sources()
        request = request_of(fleets, weights, sources, trials if search == "pareto" else None)
    means = Means(jobs or os.cpu_count() or 1, dask, journal)
    try:
        with counting("solving", request.count) as count:
            found = tune(request, means, lambda result: count())
    except KeyboardInterrupt:
        kept = f"what is done is in {journal}, and the same command goes on from there"
        tell(f"stopped; {kept if journal else 'with --journal FILE it could be resumed'}.")
        raise
    _warn(found)
    from planner.render.tune import tune_answer

    # Shown first: what was solved is not lost where nothing can be written.
    show(tune_answer(found), common.output)
    if write is not None:
        write_weights(write, request, found, pick)
        tell(f"{write} written.")


def _warn(found: "Tuned") -> None:
    """Say on stderr what is missing from the results, or may differ next time."""
    failed = found.judgement.failed
    for result in failed[:MOST_FAULTS]:
        tell(f"trial {result.trial.number} failed: {result.failure}")
    if len(failed) > MOST_FAULTS:
        tell(f"... and {len(failed) - MOST_FAULTS} more")
    results = found.judgement.results
    late = [result for result in results if any(each.is_late for each in result.effects)]
    if late:
        tell(f"{len(late)} trials took longer than the deadline and may differ when made again.")
