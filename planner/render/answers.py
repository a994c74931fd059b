"""Cycles and plans as answers that can be written in every format."""

from collections.abc import Sequence
from typing import Any, cast

from models.action import Action
from models.fleet import Fleet
from models.shortfall import Shortfall
from planner.planning import Planned, taken_by
from planner.render import tables
from planner.render.details import details_of
from planner.render.formats import Answer, Part
from planner.render.fragmentation import fragmentation_rows, fragmentation_table
from planner.render.summary import summary_of
from planner.render.table import Table
from planner.render.trees import cycle_tree, plan_tree
from rebalancer.room.fragments import fragments_of


def cycle_answer(
    fleet: Fleet,
    actions: Sequence[Action],
    shortfalls: Sequence[Shortfall],
    shadowed: Sequence[Action] = (),
) -> Answer:
    """Give the orders and shortfalls of one or more shards, and what shadow mode holds back."""
    tree = cycle_tree(fleet, actions, shortfalls, shadowed)

    def parts(wide: bool) -> list[Part]:
        shown: list[Part] = [_orders(fleet, actions, tree["actions"], wide)]
        if shadowed:
            shown.append(tables.action_table(tree["shadowed"], "Held back by shadow mode"))
        return [*shown, tables.shortfall_table(tree["shortfalls"])]

    return Answer(tree, lambda: _machines(fleet, actions), parts)


def plan_answer(fleet: Fleet, planned: Planned) -> Answer:
    """Give a plan; its names are those of its moves."""
    plan, actions = planned.plan, planned.actions
    fragmentation = fragmentation_rows(
        fragments_of(planned.standing),
        fragments_of(planned.standing, taken_by(fleet, plan)),
    )
    tree = plan_tree(fleet, actions, plan, fragmentation)
    # What plan_tree gives is lists and mappings of plain values; its type says less.
    plain = cast(dict[str, Any], tree)

    def parts(wide: bool) -> list[Part]:
        return [
            _headline(plain),
            tables.level_table(plain["levels"]),
            _orders(fleet, actions, plain["actions"], wide),
            tables.move_table(plain["moves"], wide),
            tables.cluster_table(plain.get("clusters", ())),
            tables.shard_table(plain.get("shards", ())),
            tables.unmet_table(plain["unmet"]),
            tables.displaced_table(plain["displaced"]),
            tables.goal_table(plain["goals"]),
            *tables.alternative_lines(plain.get("alternatives", ()), plain["goals"]),
            fragmentation_table(plain["fragmentation"], wide),
        ]

    def page() -> str:
        from planner.report import report_page

        return report_page(plain, summary_of(fleet, actions, plan.moves))

    def metrics() -> str:
        from planner.metrics import plan_metrics

        return plan_metrics(plain)

    return Answer(tree, lambda: [move.id for move in plan.moves], parts, page, metrics)


def _orders(
    fleet: Fleet, actions: Sequence[Action], rows: list[dict[str, Any]], wide: bool
) -> Table:
    if not wide:
        return tables.action_table(rows)
    return tables.wide_action_table(rows, details_of(fleet, [row.machine for row in actions]))


def _machines(fleet: Fleet, actions: Sequence[Action]) -> list[str]:
    return [fleet.machines.ids[action.machine] for action in actions]


def _headline(tree: dict[str, Any]) -> str:
    lines = [f"{tree['outcome']} after {tree['seconds']} s."]
    lines += [f"In conflict: {rule}" for rule in tree.get("conflicts", ())]
    return "\n".join(lines)
