"""Which machines a rule is about, and which rule of several holds now."""

import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from models.labels import ZONE
from providers.machine import MachineClass
from providers.simulated.knobs import Fail, Listing, Match
from providers.simulated.world import World

_MOST_MASKS = 64
"""Masks kept, a byte a machine each; a scenario names a handful."""


def first_fail(world: World, row: int, rpc: str, fails: Sequence[Fail], now: float) -> Fail | None:
    """Give the first rule that holds for a call and a machine at a time."""
    for fail in fails:
        if fail.rpc == rpc and fail.since <= now < fail.until and matches(world, row, fail.match):
            return fail
    return None


def first_listing(listings: Sequence[Listing], now: float) -> Listing | None:
    """Give the first rule that Lists obey at a time."""
    return next((each for each in listings if each.since <= now < each.until), None)


def matches(world: World, row: int, match: Match) -> bool:
    """Tell whether a rule is about a machine."""
    return (
        _is_of(world.classes[int(world.class_index[row])], match)
        and (match.zone is None or world.label(row, ZONE) == str(match.zone))
        and (match.id is None or _glob(str(match.id))(world.name(row)) is not None)
    )


def matching(world: World, match: Match) -> NDArray[np.bool_]:
    """Mark all machines, ``(n,)``, that a rule is about.

    Kept until there is a machine more, as none ever changes what rules look at: a glob over a
    million ids takes a second.
    """
    if len(mask := world.masks.get(match, _NONE)) != len(world):
        if len(world.masks) >= _MOST_MASKS:
            world.masks.clear()
        mask = world.masks[match] = _marked(world, match)
    return mask


_NONE = np.zeros(0, dtype=np.bool_)


def _marked(world: World, match: Match) -> NDArray[np.bool_]:
    by_class = np.array([_is_of(kind, match) for kind in world.classes], dtype=np.bool_)
    mask: NDArray[np.bool_] = by_class[world.class_index]
    if match.zone is not None:
        mask = mask & world.labelled(ZONE, str(match.zone))
    if match.id is not None:
        fits = _glob(str(match.id))
        rows = np.flatnonzero(mask)
        mask[rows] = [fits(world.name(row)) is not None for row in rows.tolist()]
    mask.flags.writeable = False
    return mask


def _is_of(kind: MachineClass, match: Match) -> bool:
    return (
        match.instance_type is None or kind.instance_type == str(match.instance_type)
    ) and match.capacity_type in (None, kind.capacity_type)


@lru_cache(maxsize=256)
def _glob(pattern: str) -> Callable[[str], object]:
    return re.compile(translate(pattern)).match
