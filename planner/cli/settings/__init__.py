"""The verb ``settings``: its own verbs, a file each."""

import click

from planner.cli.group import Group
from planner.cli.settings import check, diff, goals, schema, show


@click.group("settings", cls=Group)
def command() -> None:
    """Look at settings: what they are, where they came from, what is wrong, what differs.

    \b
    Examples:
      bigfleet settings show fleet.yaml --set goals.moves=0.2
      bigfleet settings check settings.yaml
      bigfleet settings diff defaults settings.yaml
      bigfleet settings goals moves
      bigfleet settings schema > settings.schema.json
    """


for _verb in (check, diff, goals, schema, show):
    command.add_command(_verb.command)
