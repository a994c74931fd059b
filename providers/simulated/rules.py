"""Which machines a rule is about, and which rule of several holds now."""

import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from models import labels
from providers.simulated.knobs import Fail, Listing, Match
from providers.simulated.world import World


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
    kind = world.classes[int(world.class_index[row])]
    return (
        (match.instance_type is None or kind.instance_type == str(match.instance_type))
        and (match.capacity_type is None or kind.capacity_type is match.capacity_type)
        and (match.zone is None or world.label(row, labels.ZONE) == str(match.zone))
        and (match.id is None or _glob(str(match.id))(world.name(row)) is not None)
    )


def matching(world: World, match: Match) -> NDArray[np.bool_]:
    """Mark all machines, ``(n,)``, that a rule is about."""
    by_class = np.array(
        [
            (match.instance_type is None or kind.instance_type == str(match.instance_type))
            and (match.capacity_type is None or kind.capacity_type is match.capacity_type)
            for kind in world.classes
        ],
        dtype=np.bool_,
    )
    mask: NDArray[np.bool_] = by_class[world.class_index]
    if match.zone is not None:
        mask = mask & world.labelled(labels.ZONE, str(match.zone))
    if match.id is not None:
        fits = _glob(str(match.id))
        rows = np.flatnonzero(mask)
        chosen = [fits(world.name(row)) is not None for row in rows.tolist()]
        mask[rows] = chosen
    return mask


@lru_cache(maxsize=256)
def _glob(pattern: str) -> Callable[[str], object]:
    return re.compile(translate(pattern)).match
