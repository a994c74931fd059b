"""How a run ends: its exit status, and what stderr says of an error."""

import click

from models.errors import InputFault, RuleBroken, Unreachable
from planner.render.printable import printable

DONE = 0
INPUT_WRONG = 1
USAGE = 2
SHORT = 3
UNREACHABLE = 4
FAULT_OF_OURS = 70
"""``EX_SOFTWARE`` of sysexits.h: the program is wrong, not what it was given."""
INTERRUPTED = 130
BROKEN_PIPE = 141
"""What a shell shows for a program that SIGINT or SIGPIPE ended."""

MOST_FAULTS = 20
"""Faults shown; a generator gone wrong brings one a row."""


def told(error: Exception) -> int:
    """Say on stderr what went wrong, and give the exit status."""
    match error:
        case InputFault():
            for fault in error.faults[:MOST_FAULTS]:
                tell(str(fault))
            if len(error.faults) > MOST_FAULTS:
                tell(f"... and {len(error.faults) - MOST_FAULTS} more")
            return INPUT_WRONG
        case Unreachable():
            tell(f"cannot be reached: {error}"[:2000])
            return UNREACHABLE
        case MemoryError():
            tell("there is not enough memory for this input.")
            return INPUT_WRONG
        case RuleBroken():
            what = "; ".join(error.violations[:3])
        case _:
            what = f"{type(error).__name__}: {error}"
    # One line, whatever an engine's message holds.
    tell(f"this is a fault of BigFleet, please report: {what[:2000]}")
    return FAULT_OF_OURS


def tell_usage(error: click.ClickException) -> None:
    """Say on stderr how the command line is wrong; like click, but whatever was typed in."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        # Its message is the help itself.
        for line in error.format_message().splitlines():
            tell(line)
        return
    if isinstance(error, click.UsageError) and error.ctx is not None:
        for line in error.ctx.get_usage().splitlines():
            tell(line)
        tell(f"Try '{error.ctx.command_path} --help' for help.")
    tell(f"Error: {error.format_message()}")


def tell(line: str) -> None:
    """Write one line to stderr."""
    click.echo(printable(line), err=True)
