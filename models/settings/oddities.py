"""What is legal in settings but hardly meant: each check a small function, all in one table."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from models.duration import format_duration
from models.goal_texts import GOAL_TEXTS
from models.rules import Goal
from models.settings.paths import leaves
from models.settings.sections import Settings
from models.settings.writing import settings_document


@dataclass(frozen=True, slots=True)
class Oddity:
    """A setting with its value, as plain data, and what comes of it; ``message`` is one line."""

    path: str
    value: Any
    message: str


_Said = Iterator[tuple[str, str]]
"""Paths, and what is odd about what is there."""


def oddities(settings: Settings) -> list[Oddity]:
    """Give what is odd; the defaults are not."""
    values = dict(leaves(settings_document(settings)))
    return [
        Oddity(path, values[path], message) for check in CHECKS for path, message in check(settings)
    ]


def _goals_off(settings: Settings) -> _Said:
    for goal in Goal:
        if settings.goals.weight(goal) == 0:
            meaning = GOAL_TEXTS[goal].meaning
            yield f"goals.{goal}", f"this goal is off and plans do not tell it. {meaning}"


def _late_plans(settings: Settings) -> _Said:
    rebalance = settings.rebalance
    if rebalance.deadline > rebalance.every:
        due = format_duration(rebalance.every)
        yield (
            "rebalance.deadline",
            f"the next plan is due before this one: rebalance.every is {due}.",
        )


def _no_moves(settings: Settings) -> _Said:
    if settings.rebalance.max_moves == 0:
        yield "rebalance.max_moves", "no plan may move a machine; no limit is null."


def _one_a_window(settings: Settings) -> _Said:
    yield from _least_is_one("rebalance.drain_percent", settings.rebalance.drain_percent)
    yield from _least_is_one("recovery.percent", settings.recovery.percent)


def _least_is_one(path: str, percent: int) -> _Said:
    if percent == 0:
        yield path, "does not stop it: one machine a window is always allowed."


def _grace_grows(settings: Settings) -> _Said:
    for (large, short), (small, long) in pairwise(settings.preempt.grace):
        if short > long:
            yield (
                "preempt.grace",
                f"a gap of {large} leaves a victim {format_duration(short)}, more than the "
                f"{format_duration(long)} of the smaller gap {small}.",
            )


def _always_saturated(settings: Settings) -> _Said:
    if settings.preempt.saturation == 0:
        yield "preempt.saturation", "one machine in use makes a shard saturated."


def _no_score(settings: Settings) -> _Said:
    for name in ("normal", "saturated"):
        if not any(getattr(settings.preempt, name)):
            yield f"preempt.{name}", "no victim of a priority is better than another."


def _held_no_longer(settings: Settings) -> _Said:
    release = settings.release
    for kind, hold in (("spot", release.hold.spot), ("on-demand", release.hold.on_demand)):
        if release.hold_max < hold:
            always = format_duration(hold)
            yield "release.hold_max", f"the forecast never holds {kind}: all are held {always}."


def _given_up(settings: Settings) -> _Said:
    creating, wait = settings.timeouts.creating, settings.assign.max_wait
    if creating < wait:
        yield (
            "timeouts.creating",
            f"machines are waited for up to {format_duration(wait)} (assign.max_wait), but given "
            "up before, unless their provider says that they take longer.",
        )


def _silent_between(settings: Settings) -> _Said:
    if settings.needs.ttl < settings.cycle:
        yield "needs.ttl", "shorter than a cycle: clusters fall silent between two of them."


def _only_full_lists(settings: Settings) -> _Said:
    if settings.lists.full < settings.reconcile:
        yield "lists.full", "shorter than reconcile: every list is a full one."


def _nothing_reported(settings: Settings) -> _Said:
    if settings.shortfalls.max == 0:
        yield "shortfalls.max", "no shortfall reaches the coordinator: no other shard can help."


def _all_tier_1(settings: Settings) -> _Said:
    if settings.shortfalls.tier1 <= 0:
        yield "shortfalls.tier1", "a need is tier 1 unless its priority is negative."


CHECKS: Iterable[Callable[[Settings], _Said]] = (
    _silent_between,
    _no_score,
    _always_saturated,
    _grace_grows,
    _held_no_longer,
    _given_up,
    _nothing_reported,
    _all_tier_1,
    _one_a_window,
    _only_full_lists,
    _late_plans,
    _no_moves,
    _goals_off,
)
