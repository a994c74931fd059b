"""The verb ``settings check``: all that is wrong with settings files, and what is odd."""

import click

from planner.cli.options import Common, common_options
from planner.cli.output import show
from planner.cli.progress import working
from planner.cli.verdict import INPUT_WRONG, tell


@click.command("check", short_help="All that is wrong with settings, and what is odd.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@common_options()
@click.pass_obj
def command(common: Common, files: tuple[str, ...]) -> None:
    """Check settings: say all that is wrong, with its path, and warn of what is hardly meant.

    FILE is a settings file, a fleet file with settings in it, or - for standard input. Each is
    looked at by itself. Faults go to standard error, one a line, and end with exit status 1;
    warnings do not.

    \b
    Examples:
      bigfleet settings check settings.yaml
      bigfleet settings check fleet.yaml more.yaml -o json
    """
    from planner.render.settings import checked_answer
    from planner.settings.files import check_file

    common.check()
    with working("reading"):
        checked = [check_file(file) for file in files]
    faults = [fault for each in checked for fault in each.faults]
    for fault in faults:
        tell(str(fault))
    show(checked_answer(checked), common.output)
    if faults:
        click.get_current_context().exit(INPUT_WRONG)
