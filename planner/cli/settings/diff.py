"""The verb ``settings diff``: where two sets of settings differ, and what that means."""

from typing import TYPE_CHECKING

import click

from planner.cli.options import Common, common_options
from planner.cli.output import show
from planner.cli.progress import working

if TYPE_CHECKING:
    from planner.settings.layers import Layered, Sources

DEFAULTS = "defaults"


@click.command("diff", short_help="Where two sets of settings differ, and what that means.")
@click.argument("a", metavar=f"A|{DEFAULTS}")
@click.argument("b", metavar=f"B|{DEFAULTS}")
@common_options()
@click.pass_obj
def command(common: Common, a: str, b: str) -> None:
    """Say where two sets of settings differ, and what that means for how plans are weighed.

    A and B are each a settings file, a fleet file, - for standard input, or the word defaults (a
    file of that name is ./defaults). --settings and --set are put over B. Exit status 0 also where
    they differ.

    \b
    Examples:
      bigfleet settings diff defaults settings.yaml
      bigfleet settings diff fleet.yaml fleet.yaml --set goals.moves=0.2 -o json
    """
    from planner.render.settings import difference_answer
    from planner.settings.layers import Sources

    if a == b == "-":
        raise click.UsageError("standard input can be read once only.")
    with working("reading"):
        sides = _side(a, Sources()), _side(b, common.sources())
    show(difference_answer((a, b), sides), common.output)


def _side(name: str, sources: "Sources") -> "Layered":
    from planner.settings.files import open_layers

    return open_layers(() if name == DEFAULTS else (name,), sources)
