"""The verb ``import``: make a fleet document from the files of other tools."""

from pathlib import Path

import click

from models.errors import InputFault
from planner.cli.options import Common, common_options
from planner.cli.output import show
from planner.cli.verdict import tell
from planner.importers.imported import Imported
from planner.render.formats import Answer, Format

_FORMATS = (Format.YAML, Format.JSON, Format.SUMMARY, Format.NAME)


@click.group("import")
def command() -> None:
    """Make a fleet document from other sources.

    The document goes to stdout; how it was made, and what was left out, to stderr.

    \b
    Examples:
      bigfleet import openb benchmarks/data/openb --prices benchmarks/data > fleet.yaml
      bigfleet import kubectl nodes.json pods.json -o json
    """


@command.command("openb", short_help="The OpenB trace: nodes as machines, pods as needs.")
@click.argument("folder", type=click.Path(readable=False, path_type=Path))
@click.option("--shards", type=click.IntRange(1, 1000), default=3, show_default=True,
              help="Shards to deal the clusters out to.")  # fmt: skip
@click.option("--prices", type=click.Path(readable=False, path_type=Path),
              help="Folder of price lists: adds machines that can be bought.")  # fmt: skip
@common_options(_FORMATS)
@click.pass_obj
def openb(common: Common, folder: Path, shards: int, prices: Path | None) -> None:
    """Import the OpenB trace of Alibaba: nodes as machines, pods as needs.

    \b
    Examples:
      bigfleet import openb benchmarks/data/openb
      bigfleet import openb benchmarks/data/openb --shards 5 --prices benchmarks/data -o json
    """
    from planner.importers.combine import combine
    from planner.importers.openb import import_openb
    from planner.importers.prices import import_prices

    imported = import_openb(folder, shards=shards)
    if prices is not None:
        imported = combine(imported, [import_prices(prices)])
    _give(imported, common)


@command.command("prices", short_help="AWS price lists: machines that can be bought.")
@click.argument("folder", type=click.Path(readable=False, path_type=Path))
@click.option("--region", default="us-east-1", show_default=True, help="Region of the prices.")
@click.option("--type", "types", multiple=True, metavar="TYPE",
              help="Instance type to offer. Repeatable; default: a small choice.")  # fmt: skip
@click.option("--zone", "zones", multiple=True, metavar="ZONE",
              help="Zone to offer them in. Repeatable; default: three of us-east-1.")  # fmt: skip
@click.option("--slots", type=click.IntRange(1, 1_000_000), default=2, show_default=True,
              help="Machines of each type, zone and way to pay.")  # fmt: skip
@common_options(_FORMATS)
@click.pass_obj
def prices(
    common: Common,
    folder: Path,
    region: str,
    types: tuple[str, ...],
    zones: tuple[str, ...],
    slots: int,
) -> None:
    """Import AWS price lists: machines that can be bought.

    \b
    Examples:
      bigfleet import prices benchmarks/data --type m5.8xlarge --slots 100
    """
    from planner.importers.prices import DEFAULT_TYPES, DEFAULT_ZONES, Quota, import_prices

    quota = Quota(types or DEFAULT_TYPES, zones or DEFAULT_ZONES, slots)
    _give(import_prices(folder, region=region, quota=quota), common)


@command.command("kubectl", short_help="Dumps of the nodes and pods of one cluster.")
@click.argument("nodes", type=click.Path(readable=False, path_type=Path))
@click.argument("pods", type=click.Path(readable=False, path_type=Path))
@click.option("--cluster", default=None, metavar="NAME",
              help="Name of the cluster the dumps are from; default: imported.")  # fmt: skip
@common_options(_FORMATS)
@click.pass_obj
def kubectl(common: Common, nodes: Path, pods: Path, cluster: str | None) -> None:
    """Import one cluster: its nodes as machines, its pods as needs.

    NODES is the output of `kubectl get nodes -o json`, PODS that of `kubectl get pods -A -o json`;
    either may be packed with gzip.

    \b
    Examples:
      bigfleet import kubectl nodes.json pods.json --cluster prod > fleet.yaml
    """
    from planner.importers.kubectl import DEFAULT_CLUSTER, import_kubectl

    _give(import_kubectl(nodes, pods, cluster=cluster or DEFAULT_CLUSTER), common)


def _give(imported: Imported, common: Common) -> None:
    """Check the document, say how it was made, and write it."""
    from models.documents import fleet_from

    common.check()
    try:
        rows = fleet_from(imported.document)
    except InputFault as fault:
        raise fault.within("the document made from it") from None
    notes = list(imported.notes.lines())
    if common.output is not Format.SUMMARY:
        for line in notes:
            tell(line)
    names = [row.id for row in rows.machines]
    show(Answer(imported.document, lambda: names, lambda wide: ["\n".join(notes)]), common.output)
