"""A full List of a shard's machines, a hundredth of them changed, and how long it takes to see."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from hotpath.lists import Columns
from hotpath.reconcile import reconcile
from models.fleet import Ints, Mask
from models.machine import State
from planner.bench.run import Run
from planner.bench.sample import Sample, measure

CHANGED_SHARE, NEW_SHARE, MISSING_SHARE = 0.004, 0.003, 0.003
"""Of the machines: what differs from one full List to the next, a hundredth in all."""

NOTICE_SHARE = 0.01
"""Machines with a notice of reclaim; the others hold NaN, which must equal itself."""


@dataclass(frozen=True, eq=False, slots=True)
class Lists:
    """What a shard knows, and one List of the same machines in both orders."""

    known: Columns
    in_order: Columns
    shuffled: Columns


def lists_of(machines: int, seed: int = 0) -> Lists:
    """Give as many known machines, and what is listed of them five minutes later.

    Identifiers are of the form ``i-`` and 17 hexadecimal digits. Compared are a state, a cluster,
    a price, a penalty, and two points in time.
    """
    chance = np.random.default_rng(seed)
    new, missing, changed = (
        round(share * machines) for share in (NEW_SHARE, MISSING_SHARE, CHANGED_SHARE)
    )
    rows = machines + new
    lot = chance.permutation(rows)
    is_new, is_missing, is_changed = (
        _marked(rows, part) for part in np.split(lot, np.cumsum([new, missing, changed]))[:3]
    )
    ids = _ids(rows, chance)
    before = _compared(rows, chance)
    now = tuple(
        np.where(is_changed, later, column)
        for later, column in zip(_compared(rows, chance), before, strict=True)
    )
    order = chance.permutation(rows - missing)
    in_order = Columns(ids[~is_missing], tuple(column[~is_missing] for column in now))
    return Lists(
        known=Columns(ids[~is_new], tuple(column[~is_new] for column in before)),
        in_order=in_order,
        shuffled=Columns(in_order.ids[order], tuple(column[order] for column in in_order.compared)),
    )


def _marked(rows: int, some: Ints) -> Mask:
    mask = np.zeros(rows, dtype=np.bool_)
    mask[some] = True
    return mask


def _ids(rows: int, chance: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.bytes_]]:
    """Give identifiers, sorted. 68 bits do not repeat among ten million but once in 6 million."""
    drawn = (chance.bytes(9).hex()[:17] for _ in range(rows))
    return np.sort(np.array([f"i-{digits}" for digits in drawn], dtype=np.bytes_))


def _compared(rows: int, chance: np.random.Generator) -> tuple[np.ndarray, ...]:
    has_notice = chance.random(rows) < NOTICE_SHARE
    return (
        chance.integers(len(State), size=rows, dtype=np.int8),
        chance.integers(100, size=rows, dtype=np.int32),
        chance.uniform(0.1, 30.0, size=rows),
        chance.choice([0.0, 5.0, 500.0], size=rows),
        chance.uniform(0.0, 1e6, size=rows),
        np.where(has_notice, chance.uniform(1e6, 2e6, size=rows), np.nan),
    )


def reconcile_samples(run: Run) -> Iterator[Sample]:
    """Measure a full List against what is known: in the order of ids, and in any."""
    machines = run.size.machines
    run.say(f"making a List of {machines} machines")
    lists = lists_of(machines)
    for question, listed in (
        ("reconcile in order", lists.in_order),
        ("reconcile in any order", lists.shuffled),
    ):
        run.say(f"{question}: {machines} machines, {run.repeat} times")
        timing, _ = measure(partial(reconcile, lists.known, listed), run.repeat)
        yield Sample(question, machines, 0, timing)
