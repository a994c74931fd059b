"""The verb ``settings``: its own verbs, a file each."""

import click

from models.nearest import did_you_mean
from planner.cli.settings import check, diff, goals, schema, show


class _Verbs(click.Group):
    """Refuses a wrong verb with the nearest right one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that the first argument names."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            message = f"there is no verb {args[0]!r}{did_you_mean(args[0], self.commands)}"
            raise click.UsageError(message, ctx)
        return super().resolve_command(ctx, args)


@click.group("settings", cls=_Verbs)
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
