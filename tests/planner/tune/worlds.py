"""Fleets whose best plan depends on the weights, and results that need no solver."""

from pathlib import Path

from models.outcome import Outcome
from models.plan import Level
from models.rules import Goal
from planner.opening import Sources, open_fleet
from planner.tune.ground import Ground, ground_of
from planner.tune.trial import Effect, Result, Trial
from tests.planner.cli.fleets import need, write

COST, READY = Goal.RUNNING_COST, Goal.TIME_TO_READY
SWEPT = ("running_cost=0:2:3", "time_to_ready=0.0001:1:3:log")
"""Nine trials, of which the present weights are one: four different results of ``trading``."""


def slot(identity: str, price: float, seconds: float, **fields) -> dict:
    """Give a machine that could be had in shard s1, at a price and after a time."""
    return {
        "id": identity,
        "shard": "s1",
        "instanceType": "t",
        "capacityType": "on-demand",
        "pricePerHour": price,
        "readySeconds": seconds,
        "resources": {"cpu": "8"},
    } | fields


def trading(count: int = 3) -> dict:
    """Give a fleet that is short of ``count`` machines in s0: s1 has dear, middling and cheap ones.

    What is dearer is ready sooner: 9 USD/h after 60 s, 4 after 240 s, 1 after 900 s.
    """
    kinds = {"dear": (9, 60), "middling": (4, 240), "cheap": (1, 900)}
    return {
        "kind": "Fleet",
        "metadata": {"name": "trading"},
        "shards": [{"name": "s0", "clusters": ["a"]}, {"name": "s1", "clusters": ["b"]}],
        "machines": [slot(name + "{}", *pair, count=count) for name, pair in kinds.items()],
        "needs": [need("n", "a", count=count)],
    }


def ground(folder: Path, fleet: dict | None = None, *more: dict) -> Ground:
    """Give the ground of a fleet, ``trading`` if none is given, with its settings."""
    opened = open_fleet(write(folder, fleet or trading(), *more), Sources())
    return ground_of("x", opened.fleet, opened.settings)


def effect(after: dict[Goal, float], served: int = 5, drained: int = 0, created: int = 0) -> Effect:
    """Give what a plan might do: every goal that is not named has the value 0."""
    values = {goal: 0.0 for goal in Goal} | after
    level = Level(0, 9, served, 9)
    zeros = dict.fromkeys(Goal, 0.0)
    return Effect(Outcome.OPTIMAL, (level,), drained, created, zeros, values, False, 0.5)


def by_formula(trial: Trial) -> Result:
    """Stand for a solve: the dearer time is, the more is paid to be ready sooner."""
    ratio = trial.weights.get(READY, 0.0001) / max(trial.weights.get(COST, 1.0), 1e-9)
    step = min(4, max(0, int(ratio * 5)))
    return Result(trial, (effect({COST: step * step, READY: 16.0 - 4 * step}),))
