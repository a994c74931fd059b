"""The command ``bigfleet``: its verbs by name, loaded only when asked for, and how it ends."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from models.nearest import did_you_mean
from planner.cli.streams import discard_stdout, prepare_streams
from planner.cli.verdict import (
    BROKEN_PIPE,
    INPUT_WRONG,
    INTERRUPTED,
    tell,
    tell_usage,
    told,
)

VERBS = {
    "bench": ("planner.cli.bench", "Measure the hot path on this machine."),
    "conformance": (
        "planner.cli.conformance",
        "Say check by check whether a provider of capacity keeps the contract.",
    ),
    "cycle": ("planner.cli.cycle", "Decide one hot-path cycle of each shard."),
    "explain": ("planner.cli.explain", "Say why a need is short, or what happens to a machine."),
    "import": ("planner.cli.imports", "Make a fleet document from other sources."),
    "plan": (
        "planner.cli.plan",
        "Cycle each shard, then rebalance across shards what stays short.",
    ),
    "serve": ("planner.cli.serve", "Run a service: a provider, simulated or of bare metal."),
    "settings": ("planner.cli.settings", "Look at settings: values, faults, differences, goals."),
    "tune": ("planner.cli.tune", "Try weights of the goals, and show what they trade."),
    "version": ("planner.cli.version", "Say which versions are at work."),
}
"""Module of each verb, which holds it as ``command``, and what the overview says of it."""


class Verbs(click.Group):
    """Imports the module of a verb when it is run or asked for help; the overview needs none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names of the verbs."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Give the verb of that name, if there is one."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(VERBS[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb that the first argument names; refuse any other with the nearest name."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            message = f"there is no verb {args[0]!r}{did_you_mean(args[0], VERBS)}"
            raise click.UsageError(message, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview from the table above."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(VERBS.items())])

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run and exit; whatever happens, a person reads a sentence and never a traceback."""
        extra["standalone_mode"] = False
        stdout = sys.stdout
        try:
            status = super().main(args, *rest, **extra)
            sys.stdout.flush()
        except SystemExit:
            # Click ends like this in one case only: the reader of a pipe is gone. It has then put
            # another stdout in place of ours; its status 1 would say that the input is wrong.
            if sys.stdout is stdout:
                raise
            status = BROKEN_PIPE
        except (KeyboardInterrupt, click.Abort):
            status = INTERRUPTED
        except BrokenPipeError:
            discard_stdout()
            status = BROKEN_PIPE
        except OSError as error:
            # What cannot be read is an InputFault by now; this is a full disk and its like.
            discard_stdout()
            tell(f"the operating system refused: {error.strerror or error}.")
            status = INPUT_WRONG
        except click.ClickException as error:
            tell_usage(error)
            status = error.exit_code
        except Exception as error:
            if os.environ.get("BIGFLEET_TRACEBACK"):
                raise
            status = told(error)
        sys.exit(status if isinstance(status, int) else 0)


@click.group(
    cls=Verbs,
    epilog="Exit status: 0 done, 1 the input is wrong, 2 usage, 3 short and --fail-on-shortfall "
    "was given, 4 a service is unreachable, 70 a fault of BigFleet itself.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
def bigfleet() -> None:
    """Plan and scale fleets of Kubernetes clusters."""


def main() -> NoReturn:
    """Run the command line of this process."""
    prepare_streams()
    try:
        bigfleet.main(prog_name="bigfleet")
    except KeyboardInterrupt:
        _end_at_once()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _end_at_once()
        raise


def _end_at_once() -> NoReturn:
    """End without waiting for a thread inside the solver, which may be alive; see interruptible."""
    sys.stderr.flush()
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
