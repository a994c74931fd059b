"""Telling some machines apart that nothing else does, so that they can be asked about."""

from dataclasses import replace

import numpy as np

from models.distinct import alike
from models.fleet import Ints, Mask
from rebalancer.grain import LowestDomains, lowest_domains
from rebalancer.snapshot import Snapshot, Supply


def apart(snapshot: Snapshot, machines: Mask) -> Snapshot:
    """Give the same snapshot with groups that hold either marked machines, ``(M,)``, or others.

    A group that goes through several wholly free domains loses those in which some are marked: they
    are opened one by one then, each for itself.
    """
    supply, domains = snapshot.supply, lowest_domains(snapshot.standing, snapshot.matching)
    parts = [
        (group, part)
        for group, rows in enumerate(supply.machines)
        for part in _split(rows, machines, domains)
    ]
    of_part = np.array([group for group, _ in parts], dtype=np.int64)
    first = np.array([part[0] for _, part in parts], dtype=np.int64)
    split = Supply(
        shard=supply.shard[of_part],
        kind=supply.kind[of_part],
        machine_class=supply.machine_class[of_part],
        cell=snapshot.fleet.machines.cell[first].astype(np.int64),
        victim=supply.victim[of_part],
        penalty=supply.penalty[of_part],
        ready_seconds=supply.ready_seconds[of_part],
        machines=tuple(part for _, part in parts),
    )
    return replace(snapshot, supply=split, eligible=snapshot.eligible[of_part])


def _split(rows: Ints, machines: Mask, domains: LowestDomains) -> list[Ints]:
    """Split the rows of one group, each part in their order."""
    marked = machines[rows]
    if not marked.any():
        return [rows]
    place = domains.of_machine[rows]
    touched = np.isin(place, place[marked])
    # Only a group of wholly free domains that are alike counts them, and only it must be split so.
    counts = len(np.unique(place)) > 1 and bool(domains.wholly_free[place[place >= 0]].all())
    apart_from = np.where(touched, place, -1) if counts else np.zeros(len(rows), dtype=np.int64)
    return [rows[part] for part in alike([apart_from, marked], len(rows))]
