"""The verb ``settings show``: every setting, and where its value came from."""

import click

from planner.cli.options import Common, common_options
from planner.cli.output import show
from planner.cli.progress import working
from planner.render.formats import Format


@click.command("show", short_help="Every setting, and where its value came from.")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@common_options()
@click.pass_obj
def command(common: Common, files: tuple[str, ...]) -> None:
    """Show every setting with its value, its default, its unit and where the value came from.

    FILE is a fleet file or a settings file, or - for standard input; of several, later ones win.
    Then come --settings and --set. With -o yaml the answer is a settings file itself, which records
    where each value that is no default came from.

    \b
    Examples:
      bigfleet settings show
      bigfleet settings show fleet.yaml --settings more.yaml --set goals.moves=0.2 -o wide
      bigfleet settings show fleet.yaml -o yaml > settings.yaml
    """
    from planner.render.settings import settings_answer, settings_file_answer
    from planner.settings.files import open_layers

    with working("reading"):
        told = open_layers(files, common.sources())
    answer = settings_file_answer if common.output is Format.YAML else settings_answer
    show(answer(told), common.output)
