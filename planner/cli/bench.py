"""The verb ``bench``: how fast the hot path is on this machine."""

import click

from planner.cli.options import Common, common_options
from planner.cli.output import show
from planner.cli.verdict import tell
from planner.render.formats import Format

_FORMATS = (Format.TABLE, Format.JSON, Format.YAML)
NAMES = ("cycle", "storm", "attribution", "reconcile")
# All questions of both sizes take half a minute on two busy cores.
_MACHINES = (2_000, 5_000)
MOST_MACHINES = 10_000_000


@click.command("bench")
@click.argument("questions", nargs=-1, metavar="[cycle|storm|attribution|reconcile]...",
                type=click.Choice(NAMES))  # fmt: skip
@click.option("--machines", multiple=True, type=click.IntRange(1, MOST_MACHINES),
              default=_MACHINES, show_default=True,
              help="Machines of the shard. Repeatable: each is measured.")  # fmt: skip
@click.option("--clusters", type=click.IntRange(1, 10_000), default=100, show_default=True,
              help="Clusters of the shard, of 15 needs each.")  # fmt: skip
@click.option("--repeat", type=click.IntRange(1, 100_000), default=3, show_default=True,
              help="Runs of each; 30 and more for a p99 that says something.")  # fmt: skip
@common_options(_FORMATS)
@click.pass_obj
def command(
    common: Common,
    questions: tuple[str, ...],
    machines: tuple[int, ...],
    clusters: int,
    repeat: int,
) -> None:
    """Measure the hot path on this machine, on seeded instances; without a name, all of it.

    \b
    cycle        the first cycle of a shard in which nobody holds anything, and the next one,
                 in which everybody is served
    storm        a cycle in which 100 needs, 5 of them gangs, take from all others, and
                 nothing is free
    attribution  who serves what in clusters whose needs overlap
    reconcile    a full List against what is known, a hundredth of it changed: in the order of ids,
                 and in any

    Half a million machines take minutes, and more in a storm.

    \b
    Examples:
      bigfleet bench
      bigfleet bench cycle --machines 20000 --machines 500000 --repeat 30 -o json
      bigfleet bench attribution storm --machines 1000
    """
    from planner.bench.host import host_facts
    from planner.bench.questions import QUESTIONS, size_of
    from planner.bench.run import Run
    from planner.opening import open_settings
    from planner.render.bench import bench_answer

    settings = open_settings(common.sources())
    samples = [
        sample
        for question in questions or NAMES
        for size in machines
        for sample in QUESTIONS[question](Run(size_of(size, clusters), repeat, settings, tell))
    ]
    show(bench_answer(host_facts(), samples), common.output)
