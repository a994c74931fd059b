"""What may be replaced: machines that serve needs which lack nothing and which the plan leaves."""

from dataclasses import dataclass, field

import numpy as np

from models.distinct import alike, places_of
from models.fleet import Ints, Mask, Reals
from models.plan import Plan
from models.standing import Standing
from rebalancer.problems.replace.places import Places
from rebalancer.problems.replace.rungs import Rungs
from rebalancer.reclamation import reclamation_usd


@dataclass(frozen=True, eq=False, slots=True)
class Running:
    """Groups of machines that serve, ``O`` of them, sorted by (need, place, class, penalty).

    Attributes
    ----------
    need, place, machine_class
        Shape ``(O,)``. Whom they serve; where, see ``Places``; of which class they are.
    worth
        Shape ``(O,)``. USD that giving one up saves over the horizon, less what is lost with it,
        see ``reclamation``; a gang's interruption, which is paid once, is not yet taken off.
    machines, count
        For each group the row numbers, ascending; and how many.
    """

    need: Ints
    place: Ints
    machine_class: Ints
    worth: Reals
    machines: tuple[Ints, ...]
    count: Ints = field(init=False)

    def __post_init__(self) -> None:
        count = np.array([len(rows) for rows in self.machines], dtype=np.int64)
        object.__setattr__(self, "count", count)

    def __len__(self) -> int:
        return len(self.machines)


def settled(standing: Standing, plan: Plan) -> Mask:
    """Mark the needs, ``(N,)``, that have all they ask for, and that the plan does not touch."""
    needs = standing.fleet.needs
    count = np.array([need.count for need in needs], dtype=np.int64)
    mask: Mask = (standing.short == 0) & (standing.waiting == 0) & (standing.have == count)
    touched = {move.need for move in plan.moves} | {move.victim for move in plan.moves}
    mask[[need for need in touched if need >= 0]] = False
    return mask


def running_of(
    standing: Standing, rungs: Rungs, places: Places, movable: Mask, may_climb: Mask
) -> Running:
    """Group what may be given up.

    ``movable``, ``(M,)``, are machines that may move at all, ``may_climb``, ``(N,)``, needs. Of a
    gang all machines are in or none; machines stay that are in another shard than their need's, and
    those whose price is unknown.
    """
    fleet, machines, serves = standing.fleet, standing.fleet.machines, standing.serves
    needs = fleet.needs
    home = np.array([*map(fleet.shard_of_need, range(len(needs))), -1], dtype=np.int64)
    priced = ~np.isnan(fleet.numbers.price_per_hour)[machines.class_index]
    leaves = movable & standing.victim & (serves >= 0) & priced & (machines.shard == home[serves])
    leaves &= np.append(may_climb, False)[serves]
    stays = np.bincount(serves[(serves >= 0) & ~leaves], minlength=len(needs)) > 0
    # What a gang has ordered or what is on its way to it stands in no group.
    whole = np.bincount(serves[leaves], minlength=len(needs)) == standing.have
    broken = np.array([need.is_gang for need in needs], dtype=np.bool_) & (stays | ~whole)
    rows = np.flatnonzero(leaves & ~np.append(broken, False)[serves])
    need = serves[rows].astype(np.int64)
    penalty = reclamation_usd(standing, rows)
    place = np.zeros(len(rows), dtype=np.int64)
    cell = machines.cell[rows]
    for n, own in places_of(need).items():
        if needs[n].spread:
            place[own] = places.of(needs[n])[cell[own]]
    kind = machines.class_index[rows].astype(np.int64)
    groups = alike([need, place, kind, penalty], len(rows))
    first = np.array([group[0] for group in groups], dtype=np.int64)
    saved = [
        float(rungs.hosted(needs[n])[k])
        for n, k in zip(need[first].tolist(), kind[first].tolist(), strict=True)
    ]
    once = [0.0 if row.is_gang else row.interruption_penalty for row in needs]
    worth = np.array(saved) - penalty[first] - np.array(once)[need[first]]
    return Running(
        need[first],
        place[first],
        kind[first],
        worth,
        tuple(np.sort(rows[group]) for group in groups),
    )
