"""The verb ``serve``: one service a file."""

import click

from planner.cli.endpoint import quiet_grpc
from planner.cli.group import Group
from planner.cli.serve import metal, provider_sim


@click.group("serve", cls=Group)
def command() -> None:
    """Run a service until it is told to end.

    It says on standard output where it listens once it does. SIGTERM and SIGINT let calls that run
    come to their end, for five seconds at most; the exit status is then 0.

    \b
    Examples:
      bigfleet serve provider-sim --config scenario.yaml
      bigfleet serve provider-metal --inventory racks.csv --hooks hooks.yaml --store metal.db
    """
    quiet_grpc()


for _service in (provider_sim, metal):
    command.add_command(_service.command)
