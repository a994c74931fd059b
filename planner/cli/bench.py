"""The verb ``bench``: how fast the engines are on this machine."""

from itertools import product
from typing import TYPE_CHECKING

import click

from planner.cli.options import Common, common_options
from planner.cli.output import show
from planner.cli.verdict import tell
from planner.render.formats import Format

if TYPE_CHECKING:
    from planner.bench.sample import Sample

_FORMATS = (Format.TABLE, Format.JSON, Format.YAML)
NAMES = ("cycle", "steady", "storm", "ingest", "attribution", "reconcile", "fleet")
PROVIDER_NAMES = ("provider",)
REBALANCING_NAMES = ("ownership", "packing", "shortage", "transfer", "victims")
ALL_NAMES = NAMES + PROVIDER_NAMES + REBALANCING_NAMES
# All questions of both sizes take half a minute on two busy cores.
_MACHINES = (2_000, 5_000)
MOST_MACHINES = 10_000_000


@click.command("bench")
@click.argument("questions", nargs=-1, metavar=f"[{'|'.join(ALL_NAMES)}]...",
                type=click.Choice(ALL_NAMES))  # fmt: skip
@click.option("--machines", multiple=True, type=click.IntRange(1, MOST_MACHINES),
              default=_MACHINES, show_default=True,
              help="Machines of the shard. Repeatable: each is measured.")  # fmt: skip
@click.option("--clusters", type=click.IntRange(1, 10_000), default=100, show_default=True,
              help="Clusters of the shard.")  # fmt: skip
@click.option("--needs-a-cluster", "needs", multiple=True, type=click.IntRange(1, 1_000),
              default=(15,), show_default=True,
              help="Needs of each cluster. Repeatable.")  # fmt: skip
@click.option("--changes", multiple=True, type=click.FloatRange(0, 0.5), default=(0.01,),
              show_default=True, help="Share of the machines that change between two cycles. "
              "Repeatable.")  # fmt: skip
@click.option("--shards", type=click.IntRange(1, 1_000), default=3, show_default=True,
              help="Shards of the fleet, each with so many machines.")  # fmt: skip
@click.option("--repeat", type=click.IntRange(1, 100_000), default=30, show_default=True,
              help="Runs of each; a tenth of them with objects, one of a fleet.")  # fmt: skip
@common_options(_FORMATS)
@click.pass_obj
def command(
    common: Common,
    questions: tuple[str, ...],
    machines: tuple[int, ...],
    clusters: int,
    needs: tuple[int, ...],
    changes: tuple[float, ...],
    shards: int,
    repeat: int,
) -> None:
    """Measure the engines on this machine, on seeded instances; without a name, the hot path.

    \b
    cycle        the first cycle of a shard in which nobody holds anything: machines come as
                 columns; then the same with objects, as plan has it
    steady       a cycle in which little has changed since the last one: orders were carried out,
                 machines lost, a tenth of the clusters asks for more or less
    storm        a cycle in which 100 needs, 5 of them gangs, take from all others, and
                 nothing is free
    ingest       one cluster's roll-up: new counts; new penalties and requirements
    attribution  who serves what in clusters whose needs overlap
    reconcile    a full List against what is known, a hundredth of it changed: in the order of ids,
                 and in any
    fleet        one steady cycle of every shard, all alive in this process

    \b
    A provider, the simulated one in a process of its own, over gRPC; the options count as above:
    provider     Creates of 64 machines, one call after the other and 8 at once; the List of what
                 has changed, and the whole one a tenth as often, as columns and as rows

    \b
    The rebalancer, on instances of named sizes; of the options only --repeat counts, a tenth of it:
    ownership    who owns which of 2.5 million racks: the first distribution over 200 shards,
                 one shard more, a site of 10,000 machines closed
    packing      gangs into racks, and into spines of racks: five instances, each 30 s at most;
                 of each priority what is served, and what can be at most
    shortage     why a need is short in a fleet of 100 million machines, and what would serve it:
                 a plain need, a gang, one that is spread; with a smaller fleet first
    transfer     who gives what to whom among 200 shards of 100 million machines: machines
                 counted, the best moves found and proven, machines named; once
    victims      whom a gang of 40 to 160 evicts among 700: damage and racks; --repeat instances
                 of each size, and the greedy plan's damage as a multiple of the best one's

    \b
    Examples:
      bigfleet bench
      bigfleet bench cycle steady --machines 20000 --machines 500000 -o json
      bigfleet bench steady --needs-a-cluster 5 --needs-a-cluster 50 --changes 0.1
      bigfleet bench provider --machines 500000
      bigfleet bench fleet --shards 200 --machines 500000
    """
    from planner.bench.host import host_facts
    from planner.bench.questions import PROVIDERS, QUESTIONS, REBALANCING, size_of
    from planner.bench.run import Run
    from planner.opening import open_settings
    from planner.render.bench import bench_answer

    settings = open_settings(common.sources())
    runs = [
        Run(size_of(size, clusters, needs_a_cluster), repeat, share, shards, settings, tell)
        for size, needs_a_cluster, share in product(machines, needs, changes)
    ]
    samples: list[Sample] = []
    for question in questions or NAMES:
        if question in REBALANCING:
            samples += REBALANCING[question](runs[0])
        else:
            asked = (QUESTIONS | PROVIDERS)[question]
            samples += (sample for run in runs for sample in asked(run))
    show(bench_answer(host_facts(), samples), common.output)
