"""What every verb takes: the output format and the settings."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from planner.render.formats import Format

if TYPE_CHECKING:
    from planner.opening import Sources

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

BASIC_FORMATS = (Format.TABLE, Format.WIDE, Format.JSON, Format.YAML, Format.NAME)


@dataclass(slots=True)
class Common:
    """What the common options said; click fills it while it reads the arguments.

    ``overrides`` are pairs of the option that gave it and ``path=value``.
    """

    output: Format = Format.TABLE
    settings: tuple[str, ...] = ()
    overrides: tuple[tuple[str, str], ...] = ()

    def sources(self) -> "Sources":
        """Give the same for reading; only here are the readers imported."""
        from planner.opening import Override, Sources

        return Sources(self.settings, tuple(Override(*pair) for pair in self.overrides))

    def check(self) -> None:
        """Refuse wrong settings, for a verb that has no use for them.

        Raises
        ------
        InputFault
            As ``planner.opening.open_settings``.
        """
        if self.settings or self.overrides:
            from planner.opening import open_settings

            open_settings(self.sources())


def common_options(formats: Sequence[Format] = BASIC_FORMATS) -> Callable[[Decorated], Decorated]:
    """Give a decorator that adds ``-o``, ``--settings`` and ``--set``, kept in a ``Common``."""

    def add(verb: Decorated) -> Decorated:
        for option in (*_settings_options(), output_option(formats)):
            verb = option(verb)
        return verb

    return add


def output_option(formats: Sequence[Format]) -> Callable[[Decorated], Decorated]:
    """Give ``-o``; the first of ``formats`` is the default."""
    return click.option(
        "-o",
        "--output",
        type=click.Choice([str(form) for form in formats]),
        default=str(formats[0]),
        show_default=True,
        expose_value=False,
        callback=_keep_output,
        help="How to write the answer.",
    )


def override_option(
    flag: str, path: str, check: Callable[[str], object], metavar: str, text: str
) -> Callable[[Decorated], Decorated]:
    """Give an option that is short for ``--set path=...``, and wins over it.

    ``check`` raises ValueError for a text that is no value of this option.
    """

    def keep(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is None:
            return
        try:
            check(value)
        except ValueError as error:
            raise click.BadParameter(str(error), ctx, param) from None
        ctx.ensure_object(Common).overrides += ((flag, f"{path}={value}"),)

    return click.option(flag, metavar=metavar, expose_value=False, callback=keep, help=text)


def whole_number(text: str) -> int:
    """Read an integer of 64 bits; the settings say between which bounds.

    Raises
    ------
    ValueError
        When it is none.
    """
    # Python's int reads 1_0 too, and the digits of every script.
    number = int(text) if re.fullmatch(r"[+-]?[0-9]{1,19}", text) else None
    if number is None or not -(2**63) <= number < 2**63:
        raise ValueError(f"{text[:60]!r} is not a whole number.")
    return number


def _settings_options() -> Sequence[Callable[[Decorated], Decorated]]:
    return (
        click.option(
            "--set",
            "sets",
            multiple=True,
            metavar="PATH=VALUE",
            is_eager=True,
            expose_value=False,
            callback=_keep_sets,
            help="Change one setting, as in rebalance.seed=3. Repeatable; the last one wins.",
        ),
        click.option(
            "--settings",
            multiple=True,
            metavar="FILE",
            expose_value=False,
            callback=_keep_settings,
            help="A file of kind Settings. Repeatable; goes before what FLEET itself says.",
        ),
    )


def _keep_output(ctx: click.Context, param: click.Parameter, value: str) -> None:
    ctx.ensure_object(Common).output = Format(value)


def _keep_settings(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> None:
    ctx.ensure_object(Common).settings = value


def _keep_sets(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> None:
    for text in value:
        if not text.partition("=")[1] or text.startswith("="):
            raise click.BadParameter(f"{text!r} is not of the form path=value.", ctx, param)
    ctx.ensure_object(Common).overrides += tuple(("--set", text) for text in value)
