"""Fleet, settings and memory as the arrays that the compiled shard takes in."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotpath.inventory import Inventory
from hotpath.kernel.binding import BEYOND, MOST, WATCH
from hotpath.kernel.names import Names
from hotpath.kernel.places import Places
from hotpath.memory import Memory, need_key
from hotpath.reports import Reports
from models.fleet import Codes, Fleet, Ints
from models.need import Need
from models.settings import Settings

PINNED, NOTICED, SLOW, HOSTED = 1, 2, 4, 8
"""Flags of a machine as in ``shard.h``."""


def places_columns(fleet: Fleet, places: Places) -> tuple[object, ...]:
    """Give what ``bigfleet_shard_places`` takes."""
    numbers = fleet.numbers
    return (
        len(numbers), numbers.price_per_hour, numbers.interruption_probability,
        places.hold_seconds, numbers.is_spot.view(np.uint8), len(places.box_class),
        places.box_class, places.box_zone, len(places.cell_box), places.cell_box,
    )  # fmt: skip


def clusters_columns(inventory: Inventory) -> tuple[object, ...]:
    """Give what ``bigfleet_shard_clusters`` takes: without the entry for no cluster."""
    mine, shadow = inventory.mine[:-1], inventory.shadow[:-1]
    return (len(mine), mine.view(np.uint8), shadow.view(np.uint8))


def settings_columns(settings: Settings) -> tuple[object, ...]:
    """Give what ``bigfleet_shard_settings`` takes."""
    preempt, timeouts, release = settings.preempt, settings.timeouts, settings.release
    numbers = np.array(
        [
            settings.reclaim.delay, preempt.saturation, timeouts.creating, timeouts.configuring,
            release.hold_max, release.window, release.half_life,
            *preempt.normal, *preempt.saturated,
        ],
        dtype=np.float64,
    )  # fmt: skip
    gap = np.array([least for least, _ in preempt.grace], dtype=np.int32)
    grace = np.array([seconds for _, seconds in preempt.grace], dtype=np.float64)
    return (settings.shortfalls.tier1, len(numbers), numbers, len(gap), gap, grace)


def places_given(places: Ints) -> Codes:
    """Give places as the shard takes them.

    Raises
    ------
    ValueError
        When one is no whole number, or too large for a place.
    """
    given = places.astype(np.int32)
    if not np.array_equal(given, places):
        raise ValueError("a place is out of range.")
    return given


def reported(reports: Reports, rows: int) -> tuple[NDArray[Any], ...]:
    """Give what the shard takes of so many machines: state, ... since, and flags.

    Raises
    ------
    ValueError
        When a column has another length.
    """
    lengths = {len(getattr(reports, name)) for name in reports.__slots__}
    if lengths != {rows}:
        raise ValueError(f"reports of {min(lengths)} to {max(lengths)} machines, not {rows}.")
    flags = reports.pinned * np.uint16(PINNED)
    flags |= reports.noticed * np.uint16(NOTICED)
    flags |= reports.slow * np.uint16(SLOW)
    flags |= reports.hosted * np.uint16(HOSTED)
    return (
        reports.state, reports.serves, reports.cluster, reports.reclamation_penalty,
        reports.state_since, flags,
    )  # fmt: skip


def limits(need: Need, share: Fraction) -> tuple[int, int, int]:
    """Give count, floor and spot cap, none of them above ``MOST``.

    Where the count is, the floor gives way with it: what is above stays as good as infinite.
    """
    count, floor = need.count, need.floor
    if max(count, floor) > MOST:
        count = min(need.count, MOST)
        floor = count - min(max(need.count - need.floor, 0), count)
    # The ceiling of share x count.
    spot_cap = -(-share.numerator * need.count // share.denominator)
    return count, floor, min(spot_cap, MOST)


def spot_share(settings: Settings) -> Fraction:
    """Give the share as the decimal it was written as: 0.07 of 100 is 7."""
    return Fraction(repr(settings.assign.spot_max_share))


def name_ranks(needs: Sequence[Need]) -> list[int]:
    """Give the place of each need's name among all; equal names by row."""
    rank = [0] * len(needs)
    for place, row in enumerate(sorted(range(len(needs)), key=lambda n: needs[n].name)):
        rank[row] = place
    return rank


def memory_columns(fleet: Fleet, names: Names, memory: Memory) -> tuple[object, ...]:
    """Give what ``bigfleet_shard_remember`` takes; machines that are not there are left out."""
    short = [memory.short_cycles.get(need_key(need), 0) for need in fleet.needs]
    rate, rate_at = np.zeros(len(fleet.classes)), np.zeros(len(fleet.classes))
    for k in range(len(fleet.classes)) if memory.rates else ():
        known = memory.rates.get(fleet.class_key(k))
        if known is not None:
            rate[k], rate_at[k] = known.per_minute, known.at
    excess = _by_place(names, [(id, since) for id, since in memory.excess_since.items()], BEYOND)
    watches = _by_place(
        names,
        [(id, watch.cycles, watch.grace_seconds) for id, watch in memory.drains.items()],
        WATCH,
    )
    last = np.nan if memory.last_cycle is None else memory.last_cycle
    return (
        last, np.array(short, dtype=np.int32), rate, rate_at, len(excess), excess, len(watches),
        watches,
    )  # fmt: skip


def _by_place(names: Names, entries: list[tuple[Any, ...]], kind: np.dtype[Any]) -> NDArray[Any]:
    """Give rows of which the first entry is an id as rows by place."""
    places = names.places(id for id, *_ in entries).tolist()
    known = [(place, *rest) for place, (_, *rest) in zip(places, entries, strict=True)]
    return np.array(sorted(row for row in known if row[0] >= 0), dtype=kind)
