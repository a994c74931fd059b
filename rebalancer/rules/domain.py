"""All that a gang lacks comes from one domain of one shard, whole or not at all."""

from collections.abc import Iterator

import numpy as np

from models.distinct import alike
from models.fleet import Ints
from rebalancer.draft import Cap, Choice, Lanes, Limit
from rebalancer.snapshot import Snapshot


def domain(snapshot: Snapshot, lanes: Lanes) -> Iterator[Limit]:
    """For each gang: one option per (shard, domain) that could hold it; every other lane is closed.

    A gang that holds machines already, or for which some drain, is pinned to their domain, unless
    it is to move.
    """
    for demand, row in enumerate(snapshot.demand.need):
        if not snapshot.fleet.needs[row].is_gang:
            continue
        own = lanes.of_demand(demand)
        amount = int(snapshot.demand.short[demand])
        options = [
            option
            for option in _options(snapshot, lanes, own, demand)
            if int(lanes.most[option].sum()) >= amount
        ]
        kept = np.concatenate([*options, np.empty(0, dtype=np.int64)])
        yield Cap(np.setdiff1d(own, kept), 0)
        if options:
            yield Choice(demand, amount, tuple(options))


def _options(snapshot: Snapshot, lanes: Lanes, own: Ints, demand: int) -> list[Ints]:
    fleet, group = snapshot.fleet, lanes.group[own]
    need = fleet.needs[snapshot.demand.need[demand]]
    if need.same is None:
        raise ValueError(f"need {need.name!r} is no gang.")
    codes = snapshot.matching.domains(need.same)
    place = codes[snapshot.supply.cell[group]]
    held = np.unique(codes[fleet.machines.cell[snapshot.held(demand)]])
    return [
        own[rows]
        for rows in alike([snapshot.supply.shard[group], place], len(own))
        if place[rows[0]] >= 0 and (not len(held) or held.tolist() == [place[rows[0]]])
    ]
