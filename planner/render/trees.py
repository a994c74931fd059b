"""Answers as plain trees: exactly what ``-o json`` and ``-o yaml`` show, names in place of rows."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import TypeAlias

from models.action import Action, Verb
from models.fleet import Fleet
from models.machine import NOBODY
from models.plan import Alternative, ClusterMove, GoalValue, Level, Move, Plan
from models.shortfall import Shortfall

Row: TypeAlias = dict[str, object]
Tree: TypeAlias = Mapping[str, object]


def cycle_tree(
    fleet: Fleet,
    actions: Sequence[Action],
    shortfalls: Sequence[Shortfall],
    shadowed: Sequence[Action] = (),
) -> dict[str, list[Row]]:
    """Give the orders and shortfalls of any number of shards, in the given order.

    ``shadowed`` is there only where clusters in shadow mode hold orders back.
    """
    tree = {
        "actions": action_rows(fleet, actions),
        "shortfalls": shortfall_rows(fleet, shortfalls),
    }
    return tree | ({"shadowed": action_rows(fleet, shadowed)} if shadowed else {})


def plan_tree(
    fleet: Fleet, actions: Sequence[Action], plan: Plan, fragmentation: Sequence[Row] = ()
) -> dict[str, object]:
    """Give a plan with the orders of the cycles around it, and the room for gangs it leaves.

    ``conflicts`` is there only where the outcome is INFEASIBLE: the rules that conflict;
    ``clusters`` and ``shards`` only where clusters change their shard, and shards come or go;
    ``alternatives`` only where goals conflict strongly and there was time to look at them.
    """
    tree: dict[str, object] = {
        "snapshot": plan.snapshot,
        "settings": plan.settings,
        "seed": plan.seed,
        "outcome": str(plan.outcome),
        "levels": [_level(level) for level in plan.levels],
        "actions": action_rows(fleet, actions),
        "moves": [_move(fleet, move) for move in plan.moves],
        "unmet": [
            {"need": need_name(fleet, row.need), "count": row.count, "reason": str(row.reason)}
            for row in plan.unmet
        ],
        "displaced": [
            {"need": need_name(fleet, row.need), "count": row.count} for row in plan.displaced
        ],
        "goals": {str(goal): _goal(value) for goal, value in plan.goals.items()},
        "fragmentation": list(fragmentation),
        "seconds": number(round(plan.seconds, 3)),
    }
    shards = [{"shard": fleet.shards[row].name, "change": "added"} for row in plan.added]
    shards += [{"shard": fleet.shards[row].name, "change": "closed"} for row in plan.closed]
    seldom: dict[str, object] = {
        "conflicts": list(plan.conflicts),
        "clusters": [_cluster_move(fleet, change) for change in plan.clusters],
        "shards": shards,
        "alternatives": [_alternative(other) for other in plan.alternatives],
    }
    return tree | {key: rows for key, rows in seldom.items() if rows}


def action_rows(fleet: Fleet, actions: Iterable[Action]) -> list[Row]:
    """Give orders with names; ``cluster`` is who gains the machine, for a drain who loses it."""
    machines = fleet.machines
    return [
        {
            "action": str(action.verb),
            "shard": fleet.shards[machines.shard[action.machine]].name,
            "machine": machines.ids[action.machine],
            "cluster": _cluster(fleet, action),
            "need": need_name(fleet, action.need),
            "graceSeconds": number(action.grace_seconds) if action.verb is Verb.DRAIN else None,
            "reason": action.reason,
        }
        for action in actions
    ]


def shortfall_rows(fleet: Fleet, shortfalls: Iterable[Shortfall]) -> list[Row]:
    """Give shortfalls with names."""
    return [
        {
            "need": fleet.needs[row.need].name,
            "cluster": fleet.needs[row.need].cluster,
            "priority": fleet.needs[row.need].priority,
            "count": row.count,
            "reason": str(row.reason),
        }
        for row in shortfalls
    ]


def number(value: float | None) -> int | float | None:
    """Give a whole number as an int, and None for what JSON has no word for."""
    if value is None or not isfinite(value):
        return None
    return int(value) if float(value).is_integer() else float(value)


def _level(level: Level) -> Row:
    return {
        "priority": level.priority,
        "asked": level.asked,
        "served": level.served,
        "bound": level.bound,
        "gap": level.gap,
    }


def _goal(value: GoalValue) -> Row:
    return {
        "weight": number(value.weight),
        "before": number(value.before),
        "after": number(value.after),
        "cost": number(value.cost),
        "bound": number(value.bound),
    }


def _alternative(other: Alternative) -> Row:
    return {
        "goal": str(other.goal),
        "extraCost": number(other.extra_usd),
        "goals": {str(goal): number(value) for goal, value in other.after.items()},
    }


def _move(fleet: Fleet, move: Move) -> Row:
    return {
        "id": move.id,
        "unit": move.unit,
        "window": move.window,
        "kind": str(move.kind),
        "class": fleet.classes[move.machine_class].name,
        "count": len(move.machines),
        "machines": [fleet.machines.ids[row] for row in move.machines],
        "from": fleet.shards[move.source].name,
        "to": fleet.shards[move.target].name,
        # What a need drains for itself has no preemptor.
        "need": need_name(fleet, NOBODY if move.victim == move.need else move.need),
        "reason": move.reason,
        "preconditions": list(move.preconditions),
        "expires": number(move.expires_seconds),
    }


def _cluster_move(fleet: Fleet, change: ClusterMove) -> Row:
    return {
        "cluster": fleet.clusters[change.cluster],
        "from": fleet.shards[change.source].name,
        "to": fleet.shards[change.target].name,
    }


def need_name(fleet: Fleet, row: int) -> str | None:
    """Give the name of a need as the file wrote it; None for nobody."""
    return fleet.needs[row].name if row >= 0 else None


def _cluster(fleet: Fleet, action: Action) -> str | None:
    match action.verb:
        case Verb.DELETE:
            return None
        case Verb.DRAIN:
            row = int(fleet.machines.cluster[action.machine])
        case _:
            row = int(fleet.need_cluster[action.need]) if action.need >= 0 else -1
    return fleet.clusters[row] if row >= 0 else None
