"""The verb ``version``: which versions are at work."""

import platform
from importlib.metadata import PackageNotFoundError, version

import click

from planner.cli.options import Common, common_options
from planner.cli.output import show
from planner.render.formats import Answer
from planner.render.table import Table


@click.command("version")
@common_options()
@click.pass_obj
def command(common: Common) -> None:
    """Say which versions are at work.

    \b
    Examples:
      bigfleet version
      bigfleet version -o json
    """
    from hotpath.kernel.library import kernel_name

    common.check()
    tree = {
        "bigfleet": _installed("bigfleet"),
        "python": platform.python_version(),
        "numpy": _installed("numpy"),
        "ortools": _installed("ortools"),
        "kernel": kernel_name(),
    }
    rows = [(name, text or "not installed") for name, text in tree.items()]
    table = Table("Versions", ("PART", "VERSION"), rows)
    names = [f"{name} {text}" for name, text in rows]
    show(Answer(tree, lambda: names, lambda wide: [table]), common.output)


def _installed(name: str) -> str | None:
    """Give the version of an installed distribution, without importing it."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
