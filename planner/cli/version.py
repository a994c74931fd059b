"""The verb ``version``: which versions are at work."""

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

import click

from planner.cli.options import BASIC_FORMATS, Common, common_options
from planner.cli.output import show
from planner.render.formats import Answer, Format
from planner.render.table import Table


@click.command("version")
@common_options((*BASIC_FORMATS, Format.METRICS))
@click.pass_obj
def command(common: Common) -> None:
    """Say which versions are at work.

    \b
    Examples:
      bigfleet version
      bigfleet version -o json
      bigfleet version -o metrics > bigfleet.prom    # for a node exporter's text files
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
    answer = Answer(tree, lambda: names, lambda wide: [table], metrics=lambda: _metrics(tree))
    show(answer, common.output)


def _metrics(parts: Mapping[str, str | None]) -> str:
    from planner.metrics import build_metrics

    return build_metrics({name: text or "" for name, text in parts.items()})


def _installed(name: str) -> str | None:
    """Give the version of an installed distribution, without importing it."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
