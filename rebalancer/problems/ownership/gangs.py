"""The hard rule of ownership: every shard keeps a domain for the largest of its gangs.

Counted are the machines that meet the gang's requirements and have its resources, whatever they do
at the moment; failed ones are not. A gang that no domain of the whole fleet could hold is passed
over, for no distribution can help it: its shard keeps a domain for its next largest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hotpath.matching import Matching
from models.fleet import Codes, Ints, Mask
from models.machine import State


@dataclass(frozen=True, eq=False, slots=True)
class LargestGang:
    """The largest gang of a shard.

    Attributes
    ----------
    shard, need, count
        Whose it is, its row, and its machines.
    domain
        Shape ``(M,)``. The domain of each machine at the gang's level; -1 for those that are of
        no use to it.
    """

    shard: int
    need: int
    count: int
    domain: Codes

    def homes(self, owner: Ints, shards: int) -> Mask:
        """Mark the shards, ``(S,)``, with a domain for it when machines have this ``owner``."""
        useful = self.domain >= 0
        width = int(self.domain.max(initial=-1)) + 1
        place = owner[useful] * width + self.domain[useful]
        held = np.bincount(place, minlength=shards * width).reshape(shards, width)
        return np.asarray(np.any(held >= self.count, axis=1))


def gangs_of(matching: Matching, shard_of: Ints, without: Mask) -> tuple[LargestGang, ...]:
    """Give the largest gang of each shard that has one, in the order of the shards.

    ``shard_of`` is the shard of each cluster, ``without`` the machines that leave the fleet. Of
    gangs of one size the first need counts.
    """
    fleet = matching.fleet
    rows = [row for row, need in enumerate(fleet.needs) if need.is_gang and need.count > 0]
    rows.sort(key=lambda row: (-fleet.needs[row].count, row))
    found: dict[int, LargestGang] = {}
    impossible: set[tuple[object, ...]] = set()
    for row in rows:
        shard = int(shard_of[fleet.need_cluster[row]])
        need = fleet.needs[row]
        profile = (need.same, need.count, need.requirements, tuple(sorted(need.resources.items())))
        if shard in found or shard < 0 or profile in impossible:
            continue
        gang = LargestGang(shard, row, need.count, _useful(matching, row, without))
        if np.any(np.bincount(gang.domain[gang.domain >= 0]) >= need.count):
            found[shard] = gang
        else:
            impossible.add(profile)
    return tuple(found[shard] for shard in sorted(found))


def left_without(gangs: Sequence[LargestGang], owner: Ints, shards: int) -> list[LargestGang]:
    """Give the gangs whose shard has no domain for them when machines have this ``owner``."""
    return [gang for gang in gangs if not gang.homes(owner, shards)[gang.shard]]


def _useful(matching: Matching, row: int, without: Mask) -> Codes:
    fleet = matching.fleet
    need = fleet.needs[row]
    if need.same is None:
        raise ValueError(f"need {need.name!r} is no gang.")
    cells = np.where(matching.eligible(need), matching.domains(need.same), -1)
    domain = cells[fleet.machines.cell]
    domain[without | (fleet.machines.state == State.FAILED)] = -1
    return np.asarray(domain, dtype=np.int32)
