"""The example of ``make run``: plan a real cluster of 1,523 nodes, and say what comes of it."""

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from models.errors import BigFleetError
from models.rows import API_VERSION
from planner.files import dump_yaml, write_text_atomically
from planner.importers.combine import combine
from planner.importers.imported import Document
from planner.importers.openb import import_openb
from planner.importers.prices import import_prices
from planner.opening import Sources, open_fleet
from planner.planning import Planned, plan_fleet
from planner.render import tables
from planner.render.answers import plan_answer
from planner.render.formats import Part
from planner.render.screen import screen_of
from planner.render.summary import Summary, summary_of
from planner.render.table import Table, dollars
from planner.render.terminal import draw

_ROOT = Path(__file__).resolve().parent.parent
DATA = _ROOT / "benchmarks" / "data"
OUT = _ROOT / "out"

SETTINGS = {
    "apiVersion": API_VERSION,
    "kind": "Settings",
    # Plans that tie are told apart by chance where several workers race; everybody should see the
    # same example.
    "rebalance": {"workers": 1},
}
"""Settings of the example, in its fleet file after the fleet."""


def main(data: Path = DATA, out: Path = OUT) -> None:
    """Import the data, plan, print a summary and write fleet and report below ``out``."""
    try:
        text = _run(data, out)
    except BigFleetError as error:
        sys.exit(str(error))
    sys.stdout.write(text)


def example_fleet(data: Path = DATA) -> Document:
    """Import the cluster, and what can be bought beside it, as a fleet document."""
    return combine(import_openb(data / "openb"), [import_prices(data)]).document


def _run(data: Path, out: Path) -> str:
    out.mkdir(parents=True, exist_ok=True)
    fleet_file, report_file = out / "fleet.yaml", out / "report.html"
    document = example_fleet(data)
    write_text_atomically(fleet_file, f"{dump_yaml(document)}---\n{dump_yaml(SETTINGS)}")

    # From here on as `bigfleet plan out/fleet.yaml` does it.
    opened = open_fleet(str(fleet_file), Sources())
    planned = plan_fleet(opened.fleet, opened.settings)
    answer = plan_answer(opened.fleet, planned)
    write_text_atomically(report_file, answer.page())

    summary = summary_of(opened.fleet, planned.actions, planned.plan.moves)
    # A plan's tree holds plain values; its type says less.
    parts = _summary(cast(Mapping[str, Any], answer.tree), summary, planned)
    last = f"Written: {_short(fleet_file)} and {_short(report_file)} (open it in a browser)."
    return draw([*parts, last], screen_of(sys.stdout))


def _summary(tree: Mapping[str, Any], summary: Summary, planned: Planned) -> list[Part]:
    actions = tree["actions"]
    counts = Counter(row["action"] for row in actions)
    orders = [(kind, str(counts[kind])) for kind in ("configure", "create", "drain", "delete")]
    preempting = [row for row in actions if row["action"] == "drain" and row["need"] is not None]
    drained = tables.action_table(preempting, "Preempted")
    short = [row for cycle in planned.cycles for row in cycle.shortfalls]
    gap = max((level["gap"] for level in tree["levels"]), default=0.0)
    change = summary.cost_after - summary.cost_before
    return [
        f"OpenB: {summary.machines:,} machines, {summary.hosts:,} of them real and "
        f"{summary.serving:,} serving, {summary.needs} needs of {summary.clusters} clusters, "
        f"{summary.shards} shards.",
        tables.level_table(tree["levels"]),
        Table("Orders of the shards", ("ACTION", "COUNT"), orders, "", frozenset({"COUNT"})),
        tables.purchase_table(summary.purchases),
        drained if preempting else "Nobody is preempted inside a shard.",
        f"{sum(row.count for row in short)} machines were short in their own shard.",
        tables.move_table(tree["moves"], wide=False),
        tables.displaced_table(tree["displaced"]),
        tables.unmet_table(tree["unmet"]),
        f"{tree['outcome']} in {tree['seconds']} s, at every priority within {gap:.2%} of the most "
        f"that can be served. Cost an hour: {dollars(summary.cost_before)} before, "
        f"{dollars(summary.cost_after)} after ({change:+,.2f}).",
    ]


def _short(path: Path) -> str:
    """Give a path below the working folder without it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


if __name__ == "__main__":
    main()
