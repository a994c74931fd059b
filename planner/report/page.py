"""The page: what a plan serves, orders, moves, costs and leaves short, from its plain tree."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from models.plan import DRAINS, MoveKind
from planner.render import tables
from planner.render.fragmentation import fragmentation_table
from planner.render.summary import Summary
from planner.render.table import dollars
from planner.report.bars import Bar, bars
from planner.report.frame import framed
from planner.report.markup import escaped, paragraph, section, table

Tree = dict[str, Any]


def report_page(tree: Tree, summary: Summary) -> str:
    """Give the whole HTML text for a plan's tree (see ``render.trees``) and its fleet's numbers."""
    title = f"Plan for {summary.name}" if summary.name else "Plan"
    body = "\n".join(
        part
        for part in (
            _head(title, tree, summary),
            _tiles(tree, summary),
            _levels(tree["levels"]),
            section("Still short, and why", table(tables.unmet_table(tree["unmet"]))),
            section("Moves", table(tables.move_table(tree["moves"], wide=False))),
            _ownership(tree),
            _displaced(tree["displaced"]),
            _purchases(summary),
            _orders(tree["actions"]),
            section("Goals", table(tables.goal_table(tree["goals"])), *_alternatives(tree)),
            _room(tree["fragmentation"]),
            _foot(tree),
        )
        if part
    )
    return framed(title, body)


_OUTCOMES = {
    "OPTIMAL": "This plan is proven to be the best.",
    "FEASIBLE": "This is the best plan found in time; how far from the best it can be is shown.",
    "FALLBACK": "The solver gave no plan in time; this is the plan of the fast method.",
    "INFEASIBLE": "No plan keeps all rules; those in conflict are named below.",
}


def _head(title: str, tree: Tree, summary: Summary) -> str:
    fleet = (
        f"{summary.machines:,} machines ({summary.hosts:,} with a host, {summary.serving:,} "
        f"serving) in {summary.shards:,} shards, {summary.needs:,} needs of "
        f"{summary.clusters:,} clusters."
    )
    conflicts = "".join(paragraph(f"In conflict: {rule}") for rule in tree.get("conflicts", ()))
    said = f"{tree['outcome']}: {_OUTCOMES.get(tree['outcome'], '')}"
    return f"<h1>{escaped(title)}</h1>\n{paragraph(fleet)}\n{paragraph(said)}{conflicts}"


def _tiles(tree: Tree, summary: Summary) -> str:
    asked = sum(level["asked"] for level in tree["levels"])
    served = sum(level["served"] for level in tree["levels"])
    gap = max((level["gap"] for level in tree["levels"]), default=0.0)
    change = summary.cost_after - summary.cost_before
    moved = sum(move["count"] for move in tree["moves"])
    drained = sum(row["action"] == "drain" for row in tree["actions"])
    drained += sum(move["count"] for move in tree["moves"] if MoveKind(move["kind"]) in DRAINS)
    tiles = [
        (f"{served:,} of {asked:,}", "machines served"),
        (f"{gap:.2%}", "largest gap to the proven best"),
        (dollars(summary.cost_before), "an hour before"),
        (dollars(summary.cost_after), f"an hour after ({change:+,.2f})"),
        (f"{moved:,}", "machines moved or kept"),
        (f"{drained:,}", "machines drained, here or for a move"),
    ]
    shown = "".join(
        f'<div class="tile"><b>{escaped(value)}</b><span class="muted">{escaped(what)}</span></div>'
        for value, what in tiles
    )
    priceless = f"{summary.unpriced:,} machines of unknown price are not in the cost."
    return f'<div class="tiles">{shown}</div>' + (paragraph(priceless) if summary.unpriced else "")


def _levels(levels: Sequence[Tree]) -> str:
    if not levels:
        return section("Served by priority", paragraph("Nobody asks for a machine."))
    rows = []
    for level in sorted(levels, key=lambda level: -level["priority"]):
        short = max(level["asked"] - level["served"], 0)
        note = f"{level['served']:,} of {level['asked']:,}"
        note += f", {short:,} short" if short else ""
        parts = (("good", float(level["served"])), ("short", float(short)))
        rows.append(Bar(f"priority {level['priority']}", parts, note))
    key = (
        '<p class="muted"><span class="key key-good"></span>served'
        '<span class="key key-short"></span>short</p>'
    )
    return section("Served by priority", key, bars(rows, "Machines served and short by priority"))


def _orders(actions: Sequence[Tree]) -> str:
    counts = Counter(row["action"] for row in actions)
    rows = [
        Bar(kind, (("accent", float(counts[kind])),), f"{counts[kind]:,}")
        for kind in ("configure", "create", "drain", "delete")
        if counts[kind]
    ]
    drawn = bars(rows, "Orders of the cycle by kind") if rows else ""
    return section("Orders of the cycle", drawn, table(tables.action_table(actions)))


def _purchases(summary: Summary) -> str:
    if not summary.purchases:
        return ""
    return section("Bought", table(tables.purchase_table(summary.purchases)))


def _ownership(tree: Tree) -> str:
    """Give the clusters that change their shard and the shards that come and go, if any."""
    shown = [tables.cluster_table(tree.get("clusters", ()))]
    shown += [tables.shard_table(tree.get("shards", ()))]
    return "\n".join(section(each.title, table(each)) for each in shown if each.rows)


def _displaced(displaced: Sequence[Tree]) -> str:
    if not displaced:
        return ""
    return section("Needs that lose machines", table(tables.displaced_table(displaced)))


def _alternatives(tree: Tree) -> list[str]:
    lines = tables.alternative_lines(tree.get("alternatives", ()), tree["goals"])
    return [paragraph(line) for line in lines]


def _room(fragmentation: Sequence[Tree]) -> str:
    if not fragmentation:
        return ""
    said = (
        "The largest gang that fits in one domain of one shard, and free machines that stand in "
        "domains where others are in use."
    )
    shown = table(fragmentation_table(fragmentation, wide=False))
    return section("Room for gangs", paragraph(said), shown)


def _foot(tree: Tree) -> str:
    said = (
        f"Snapshot {tree['snapshot']}, settings {tree['settings']}, seed {tree['seed']}; "
        f"solved in {tree['seconds']} s."
    )
    return f"<footer>{paragraph(said)}</footer>"
