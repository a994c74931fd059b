"""A verb that has verbs of its own."""

import click

from models.nearest import did_you_mean


class Group(click.Group):
    """Refuses a wrong verb with the nearest right one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that the first argument names."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            message = f"there is no verb {args[0]!r}{did_you_mean(args[0], self.commands)}"
            raise click.UsageError(message, ctx)
        return super().resolve_command(ctx, args)
