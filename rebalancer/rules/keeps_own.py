"""A donor never gives what its own needs of equal or higher priority lack and could use."""

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.rules.route import own_shard
from rebalancer.snapshot import Snapshot

NOBODY = np.iinfo(np.int64).min


def keeps_own(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``, whose receiver is above all that the donor's own could use.

    What stays in its shard is not given away.
    """
    priority, usable = snapshot.demand.priority, could_use(snapshot)
    if not usable.size:
        return usable
    # Demands come with the highest priority first, so the first is the highest.
    highest = np.where(usable.any(axis=1), priority[usable.argmax(axis=1)], NOBODY)
    mask: Mask = own_shard(snapshot) | (priority[None, :] > highest[:, None])
    return mask


def could_use(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``, of a group and a short need of the same shard it would help.

    A need cannot use what its floor or skew forbids as it stands, nor a gang what is outside the
    domains that hold all it lacks: such machines would lie idle at home.
    """
    supply, demand = snapshot.supply, snapshot.demand
    usable: Mask = own_shard(snapshot) & snapshot.eligible & ~demand.migrates
    for index, row in enumerate(demand.need.tolist()):
        need = snapshot.fleet.needs[row]
        if need.floor > 0 and usable[:, index].any():
            usable[:, index] &= _within_floor(snapshot, row)
        for spread in need.spread:
            if spread.is_hard and usable[:, index].any():
                room = _within_skew(snapshot, index, spread.key, spread.max_skew)
                usable[:, index] &= room[supply.cell]
        if need.same is not None and usable[:, index].any():
            usable[:, index] &= _in_whole_domain(snapshot, index, need.same)[supply.cell]
    return usable


def _within_floor(snapshot: Snapshot, row: int) -> Mask:
    """Mark the groups, ``(G,)``, of which one more would leave the need's floor kept."""
    fleet, need = snapshot.fleet, snapshot.fleet.needs[row]
    risky = fleet.numbers.interruption_probability > 0
    held = np.count_nonzero(risky[fleet.machines.class_index[snapshot.standing.serves == row]])
    if held < need.count - need.floor:
        return np.ones(len(snapshot.supply), dtype=np.bool_)
    mask: Mask = ~risky[snapshot.supply.machine_class]
    return mask


def _within_skew(snapshot: Snapshot, index: int, key: str, skew: int) -> Mask:
    """Mark the cells, ``(C,)``, where one more machine would keep the need within the skew."""
    codes = snapshot.matching.values(key)
    place = codes[snapshot.fleet.machines.cell]
    row = int(snapshot.demand.need[index])
    held: Ints = np.bincount(
        place[(snapshot.standing.serves == row) & (place >= 0)],
        minlength=int(codes.max(initial=-1)) + 1,
    ).astype(np.int64)
    known = np.unique(place[_at_home(snapshot, index) & (place >= 0)])
    if not len(known):
        return np.zeros(len(codes), dtype=np.bool_)
    mask: Mask = (codes >= 0) & (held[codes] + 1 - held[known].min() <= skew)
    return mask


def _in_whole_domain(snapshot: Snapshot, index: int, key: str) -> Mask:
    """Mark the cells, ``(C,)``, in domains where the shard has all that the gang lacks.

    Only what is free or serves nobody is counted: whom the shard may drain, its cycle knows, and it
    found no such domain.
    """
    standing, row = snapshot.standing, int(snapshot.demand.need[index])
    codes = snapshot.matching.domains(key)
    size = len(snapshot.matching.domain_names(key))
    place = codes[snapshot.fleet.machines.cell]
    at_hand = _at_home(snapshot, index) & (standing.free | standing.excess) & (place >= 0)
    room = np.bincount(place[at_hand], minlength=size)
    whole = room >= int(snapshot.demand.short[index])
    held = np.unique(place[(standing.serves == row) & (place >= 0)])
    if len(held):
        whole &= np.isin(np.arange(size), held)
    # One more entry for "no domain", which the code -1 finds.
    mask: Mask = np.append(whole, False)[codes]
    return mask


def _at_home(snapshot: Snapshot, index: int) -> Mask:
    """Mark the machines, ``(M,)``, of the demand's own shard that match it, in any state."""
    machines, needs = snapshot.fleet.machines, snapshot.fleet.needs
    cells = snapshot.matching.eligible(needs[int(snapshot.demand.need[index])])
    mask: Mask = cells[machines.cell] & (machines.shard == snapshot.demand.shard[index])
    return mask
