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


@dataclass(frozen=True, slots=True)
class Fragment:
    """Free machines of one kind, or of all, at one level of the topology.

    Attributes
    ----------
    level
        Label key.
    kind
        The name of classes: type, capacity type and provider; None: all machines. Classes that
        differ only in price or labels are one kind, of which a gang may be mixed.
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
    kind: str | None
    free: int
    largest: int
    largest_with_new: int
    fragmented: int

    @property
    def score(self) -> float:
        """Give the part of the free machines that stands in partly used domains, 0 to 1."""
        return self.fragmented / self.free if self.free else 0.0


def fragments_of(standing: Standing, taken: Mask | None = None) -> tuple[Fragment, ...]:
    """Count at every level of the topology, for all machines together and then for each kind.

    ``taken``, ``(M,)``, marks machines that a plan takes, which are free no more. Kinds of which
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
    kinds = sorted({each.name for each in fleet.classes})
    number = np.array([kinds.index(each.name) for each in fleet.classes], dtype=np.int64)
    kind = number[fleet.machines.class_index]
    # One number for each domain of each shard: no gang stands in two.
    site = fleet.machines.shard.astype(np.int64) * len(partly) + place
    count = np.bincount(kind[idle], minlength=len(kinds))
    broken = np.bincount(kind[idle & partly[place]], minlength=len(kinds))
    now, later = (_largest(kind[each], site[each], len(kinds)) for each in (idle, had))
    together = (int(count.sum()), _most(site[idle]), _most(site[had]), int(broken.sum()))
    return [Fragment(level, None, *together)] + [
        Fragment(level, kinds[k], int(count[k]), int(now[k]), int(later[k]), int(broken[k]))
        for k in np.flatnonzero(later).tolist()
    ]


def _most(site: Ints) -> int:
    """Give how often the commonest number comes."""
    return int(np.unique(site, return_counts=True)[1].max(initial=0))


def _largest(kind: Ints, site: Ints, size: int) -> Ints:
    """Give for each kind how many of it the fullest site has."""
    largest = np.zeros(size, dtype=np.int64)
    sites = int(site.max(initial=0)) + 1
    pairs, counts = np.unique(kind * sites + site, return_counts=True)
    np.maximum.at(largest, pairs // sites, counts)
    return largest
