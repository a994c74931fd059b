"""The verb ``conformance``: run the contract of capacity providers against one of them."""

import asyncio
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from models.duration import parse_duration
from models.errors import Fault, InputFault
from models.nearest import did_you_mean
from planner.cli.calling import call_options
from planner.cli.endpoint import Endpoint, quiet_grpc
from planner.cli.options import BASIC_FORMATS, Common, common_options
from planner.cli.output import show
from planner.cli.progress import counting
from planner.cli.verdict import DONE, INPUT_WRONG, tell

if TYPE_CHECKING:
    from providers.conformance.run import Report
    from providers.conformance.settings import KitSettings, Role
    from providers.conformance.verdict import Check, Result


def _seconds(ctx: click.Context, param: click.Parameter, value: str) -> float:
    try:
        seconds = parse_duration(value)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from None
    if not seconds:
        raise click.BadParameter("no transition is over in no time.", ctx, param)
    return seconds


@click.command("conformance")
@call_options
@click.option("--machines", metavar="GLOB",
              help="Ids that may be used. Without it: any that nobody owns, and none is made real "
              "that cannot be deleted.")  # fmt: skip
@click.option("--most", type=click.IntRange(1, 1000), default=8, show_default=True,
              help="Machines that may be real at a time for this.")  # fmt: skip
@click.option("--timeout", "seconds", default="5m", show_default=True, metavar="DURATION",
              callback=_seconds, help="How long one transition may take.")  # fmt: skip
@click.option("--cluster", default="bigfleet-conformance", show_default=True, metavar="NAME",
              help="Cluster that machines are configured for.")  # fmt: skip
@click.option("--user-data", metavar="FILE",
              help="Bootstrap blob that they are configured with.")  # fmt: skip
@click.option("--role", "roles", multiple=True, metavar="ROLE=ID",
              help="hang-create, hang-configure: a machine whose Create or Configure never ends; "
              "unpriced: one whose price nobody knows. As the label bigfleet.dev/conformance."
              )  # fmt: skip
@click.option("--only", "only", multiple=True, metavar="CHECK", help="Run this one. Repeatable.")
@common_options(BASIC_FORMATS)
@click.pass_obj
def command(
    common: Common,
    callee: Endpoint,
    machines: str | None,
    most: int,
    seconds: float,
    cluster: str,
    user_data: str | None,
    roles: tuple[str, ...],
    only: tuple[str, ...],
) -> int:
    """Run the contract of capacity providers against the one at an address.

    Each check passes, fails with what was expected and what was seen, or is skipped with the
    reason. Exit status 1: one failed, or none passed. Machines are created, configured, drained
    and deleted; when it ends, or is interrupted, they are brought back to where they were found, as
    is what an earlier run has left. Owner and ownership version stay as written: no order takes
    them back. Run one at a time.

    docs/how-to/write-a-provider.md says what each check means.

    \b
    Examples:
      bigfleet conformance --address 127.0.0.1:7443
      bigfleet conformance --address 127.0.0.1:7443 --only create-repeats --only batch
      bigfleet conformance --address lab:7443 --tls-ca ca.pem --machines 'rack9-*' --timeout 2h
    """
    common.check()
    quiet_grpc()
    checks = _asked(only)
    from providers.conformance.settings import KitSettings

    settings = KitSettings(
        epoch=int(time.time() * 1000),
        machines=machines,
        most=most,
        seconds=seconds,
        cluster=cluster,
        roles=_roles(roles),
    )
    if user_data is not None:
        settings = replace(settings, user_data=_blob(user_data))
    report = _run(callee, settings, checks, common)
    _show(callee, report, common)
    if not (report.failed or report.is_proved):
        tell("nothing was proved: every check was skipped.")
    return DONE if report.is_proved else INPUT_WRONG


def _show(callee: Endpoint, report: "Report", common: Common) -> None:
    """Say how the machines are left, and what came of the checks that have ended."""
    for machine, reason in report.earlier.items():
        tell(f"machine {machine} was left by an earlier run: {reason}")
    for machine, reason in report.left.items():
        tell(f"machine {machine} is not as it was found: {reason}")
    if report.results:
        from planner.render.conformance import conformance_answer

        show(conformance_answer(callee.address, report), common.output)


def _run(
    callee: Endpoint, settings: "KitSettings", checks: Sequence["Check"], common: Common
) -> "Report":
    """Run the checks; where that is interrupted, show what there is."""
    from providers.conformance.run import Report

    report = Report()
    try:
        with counting("checking", len(checks)) as count:
            asyncio.run(_conformed(callee, settings, checks, report, count))
    except KeyboardInterrupt:
        tell(f"stopped after {len(report.results)} of {len(checks)} checks.")
        _show(callee, report, common)
        raise
    return report


async def _conformed(
    callee: Endpoint,
    settings: "KitSettings",
    checks: Sequence["Check"],
    report: "Report",
    count: Callable[[], None],
) -> None:
    from providers.conformance.run import conform

    def done(result: "Result") -> None:
        count()

    # What Ctrl-C does, which cancels this and lets it bring the machines back.
    asyncio.get_running_loop().add_signal_handler(
        signal.SIGTERM, signal.raise_signal, signal.SIGINT
    )
    await conform(callee.address, callee.security(), settings, checks, done, report)


def _asked(only: Sequence[str]) -> Sequence["Check"]:
    """Give the checks of some names, in the order of the kit; all where none is named."""
    from providers.conformance.checks import CHECKS

    names = [check.name for check in CHECKS]
    for name in only:
        if name not in names:
            raise click.UsageError(f"there is no check {name!r}{did_you_mean(name, names)}")
    return [check for check in CHECKS if not only or check.name in only]


def _blob(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputFault([Fault(path, f"cannot be read ({error.strerror}).")]) from None


def _roles(texts: Sequence[str]) -> tuple[tuple["Role", str], ...]:
    """Read ROLE=ID."""
    from providers.conformance.settings import Role

    roles = []
    for text in texts:
        role, _, machine = text.partition("=")
        if role not in list(Role) or not machine:
            said = f"--role {text!r} is not ROLE=ID with one of {', '.join(Role)}"
            raise click.UsageError(f"{said}{did_you_mean(role, [each.value for each in Role])}")
        roles.append((Role(role), machine))
    return tuple(roles)
