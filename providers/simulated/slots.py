"""How many slots of some machines there are in all, as ``quota`` events say."""

from collections.abc import Mapping

import numpy as np

from models.machine import State
from providers.simulated.knobs import Match
from providers.simulated.rules import matching
from providers.simulated.world import World


def withdraw(world: World, limits: Mapping[Match, int]) -> None:
    """List as many slots as the limits leave, and withdraw the others.

    Slots in use stay until they are deleted; of the others those stay that are listed, lowest ids
    first. A larger limit lists again what a smaller one took away, lowest ids first too, and never
    more than there were. A machine for which several limits count needs room in each.
    """
    spare = world.state == State.SPECULATIVE
    stays = spare.copy()
    for match, most in limits.items():
        mask = matching(world, match)
        rows = np.flatnonzero(mask & stays)
        room = max(most - int(np.count_nonzero(mask & ~spare)), 0)
        listed_first = rows[np.argsort(~world.is_listed[rows], kind="stable")]
        stays[listed_first[room:]] = False
    comes = np.flatnonzero(~world.is_listed & (stays | ~spare))
    goes = np.flatnonzero(world.is_listed & ~(stays | ~spare))
    if len(comes):
        world.is_listed[comes] = True
        world.touch(comes)
        for row in comes.tolist():
            world.gone.pop(world.name(row), None)
    if len(goes):
        world.is_listed[goes] = False
        world.touch(goes)
        world.gone |= {world.name(row): world.now_revision for row in goes.tolist()}
    world.is_recounted = True
