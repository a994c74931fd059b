"""Fragmentation: the largest gang that still fits, and free machines where few are left.

A gang stands in one domain of one shard. A domain is partly used when some but not all of its
machines with a host are free, as in the goal ``domain_fragmentation``; here at every level, not
only the lowest.
"""

from dataclasses import dataclass

import numpy as np

from models.fleet import Fleet, Ints, Mask
from models.machine import State
from models.standing import Standing

ALL_CLASSES = -1


@dataclass(frozen=True, slots=True)
class Fragment:
    """Free machines of one class, or of all, at one level of the topology.

    Attributes
    ----------
    level
        Label key.
    machine_class
        Row in the fleet's classes, or ALL_CLASSES.
    free
        Idle machines that no cycle has reserved or pinned, in all.
    largest
        The most of them in one domain of one shard: the largest gang that fits now.
    largest_with_new
        The same with speculative machines: the largest gang that could be had.
    fragmented
        Free machines in partly used domains. The score is this against ``free``.
    """

    level: str
    machine_class: int
    free: int
    largest: int
    largest_with_new: int
    fragmented: int

    @property
    def score(self) -> float:
        """Give the part of the free machines that stands in partly used domains, 0 to 1."""
        return self.fragmented / self.free if self.free else 0.0


def fragments_of(standing: Standing, taken: Mask | None = None) -> tuple[Fragment, ...]:
    """Count at every level of the topology, for all classes together and then for each.

    ``taken``, ``(M,)``, marks machines that a plan takes, which are free no more. Classes of which
    nothing is free and nothing could be had are left out; so are levels outside of which all
    machines are.
    """
    fleet, machines = standing.fleet, standing.fleet.machines
    free = standing.free if taken is None else standing.free & ~taken
    idle = free & (machines.state == State.IDLE)
    hosted = machines.hosted
    found: list[Fragment] = []
    for level in fleet.topology:
        domains, names = fleet.cell_domains(level)
        place = domains[machines.cell].astype(np.int64)
        inside = place >= 0
        if inside.any():
            partly = _partly_used(place, idle & inside, hosted & inside, len(names))
            found += _of_level(fleet, level, place, (idle & inside, free & inside), partly)
    return tuple(found)


def _partly_used(place: Ints, idle: Mask, hosted: Mask, domains: int) -> Mask:
    """Mark the domains, ``(D,)``."""
    free = np.bincount(place[idle], minlength=domains)
    hosts = np.bincount(place[hosted], minlength=domains)
    mask: Mask = (free > 0) & (free < hosts)
    return mask


def _of_level(
    fleet: Fleet, level: str, place: Ints, free: tuple[Mask, Mask], partly: Mask
) -> list[Fragment]:
    idle, had = free
    classes, shard = fleet.machines.class_index.astype(np.int64), fleet.machines.shard
    # One number for each domain of each shard: no gang stands in two.
    site = shard.astype(np.int64) * len(partly) + place
    count = np.bincount(classes[idle], minlength=len(fleet.classes))
    broken = np.bincount(classes[idle & partly[place]], minlength=len(fleet.classes))
    now, later = (_largest(classes[each], site[each], len(fleet.classes)) for each in (idle, had))
    total = Fragment(
        level, ALL_CLASSES, int(count.sum()), _most(site[idle]), _most(site[had]), int(broken.sum())
    )
    rows = np.flatnonzero(later).tolist()
    return [total] + [
        Fragment(level, k, int(count[k]), int(now[k]), int(later[k]), int(broken[k])) for k in rows
    ]


def _most(site: Ints) -> int:
    """Give how often the commonest number comes."""
    return int(np.unique(site, return_counts=True)[1].max(initial=0))


def _largest(classes: Ints, site: Ints, size: int) -> Ints:
    """Give for each class, ``(K,)``, how many of it the fullest site has."""
    largest = np.zeros(size, dtype=np.int64)
    if len(site):
        _, first, counts = np.unique(
            np.stack([classes, site]), axis=1, return_index=True, return_counts=True
        )
        np.maximum.at(largest, classes[first], counts)
    return largest
