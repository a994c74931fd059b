"""Who may have what: for one need the fresh groups that may serve it, and what each costs it."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import numpy as np

from hotpath.matching import Matching
from models.distinct import places_of
from models.fleet import Codes, Fleet, Ints, Mask, Reals
from models.machine import State
from models.standing import Standing
from rebalancer.problems.replace.fresh import Fresh
from rebalancer.problems.replace.places import Places
from rebalancer.problems.replace.rungs import Rungs
from rebalancer.problems.replace.running import Running
from rebalancer.sites import Sites
from rebalancer.transfer_rules import TransferRules

NO_BOX = -1


@dataclass(frozen=True, eq=False, slots=True)
class Market:
    """What is given up, what is free, and how one is weighed against the other.

    Attributes
    ----------
    column
        Of each need that may climb its column in ``sites.serves``.
    stalls
        Free spot machines that the plan leaves, whoever they are for: shard, box and row of
        ``sites.serves``, ``(3, Y)``. They say whether a need has a choice of spot.
    """

    standing: Standing
    rules: TransferRules
    spot_max_share: float
    matching: Matching
    sites: Sites
    column: dict[int, int]
    running: Running
    fresh: Fresh
    rungs: Rungs
    places: Places
    stalls: Ints
    _starts: Reals = field(init=False)
    _held: dict[int, dict[int, int]] = field(init=False)
    _risky: Ints = field(init=False)

    def __post_init__(self) -> None:
        fresh = self.fresh
        starts = [
            self.rungs.starts(k, seconds) if is_new else 0.0
            for k, seconds, is_new in zip(
                fresh.machine_class.tolist(),
                fresh.ready_seconds.tolist(),
                fresh.is_new.tolist(),
                strict=True,
            )
        ]
        object.__setattr__(self, "_starts", np.array(starts, dtype=np.float64))
        object.__setattr__(self, "_held", _spot_held(self.standing))
        serves = self.standing.serves
        risky = (serves >= 0) & self.is_risky(self.fleet.machines.class_index)
        counts = np.bincount(serves[risky], minlength=len(self.fleet.needs))
        object.__setattr__(self, "_risky", counts)

    @property
    def fleet(self) -> Fleet:
        """Give the fleet beneath."""
        return self.standing.fleet

    def usable(self, need: int, groups: Ints) -> Ints:
        """Give those of the fresh groups of which a machine may serve the need."""
        fresh, asked = self.fresh, self.fleet.needs[need]
        mask: Mask = self.sites.serves[fresh.kind[groups], self.column[need]]
        mask = mask & (fresh.shard[groups] == self.fleet.shard_of_need(need))
        if asked.priority >= self.rules.tier1:
            late = fresh.ready_seconds[groups] > self.rules.max_wait_seconds
            mask &= ~(fresh.is_new[groups] & late)
        return groups[mask]

    def costs(self, need: int, groups: Ints) -> Reals:
        """Give what a machine of each of the fresh groups costs the need, USD, its start twice."""
        asked, fresh = self.fleet.needs[need], self.fresh
        kind = fresh.machine_class[groups]
        hourly = np.where(
            fresh.is_new[groups], self.rungs.created(asked)[kind], self.rungs.hosted(asked)[kind]
        )
        total: Reals = hourly + self._starts[groups]
        return total

    def is_risky(self, classes: Ints | Codes) -> Mask:
        """Mark the classes that may be interrupted, of the same shape."""
        mask: Mask = self.fleet.numbers.interruption_probability[classes] > 0
        return mask

    def boxes(self, groups: Ints) -> Ints:
        """Give the (class, zone) of each of the fresh groups as a number; NO_BOX outside spot."""
        kind = self.fresh.machine_class[groups]
        boxes = box_numbers(self.fleet, kind, self.fresh.zone[groups])
        return np.where(self.fleet.numbers.is_spot[kind], boxes, NO_BOX)

    def spot_room(self, need: int, boxes: Ints) -> Ints:
        """Give how many more spot machines of each (class, zone) the need may have.

        What it holds there counts, to be given up or not: the new ones come first. A gang gives up
        all it holds.
        """
        asked = self.fleet.needs[need]
        most = ceil(Fraction(repr(self.spot_max_share)) * asked.count)
        room = np.full(len(boxes), min(most, len(self.fleet.machines)), dtype=np.int64)
        for box, held in self._held.get(need, {}).items() if not asked.is_gang else ():
            room[boxes == box] -= held
        return np.maximum(room, 0)

    def has_choice_of_spot(self, need: int) -> bool:
        """Tell whether free spot machines that suit the need stand in several (class, zone)."""
        shard, box, kind = self.stalls
        suits = self.sites.serves[kind, self.column[need]]
        suits = suits & (shard == self.fleet.shard_of_need(need))
        return len(np.unique(box[suits])) > 1

    def risky_left(self, need: int) -> int:
        """Give how many more machines with p > 0 the need may have by its floor; -1: too many."""
        asked = self.fleet.needs[need]
        return max(-1, asked.count - asked.floor - int(self._risky[need]))


def box_numbers(fleet: Fleet, classes: Ints, zones: Ints) -> Ints:
    """Number (class, zone) pairs; a zone of -1 is one of its own."""
    width = int(fleet.zone_codes().max(initial=-1)) + 2
    numbers: Ints = classes.astype(np.int64) * width + zones + 1
    return numbers


def stalls_of(standing: Standing, sites: Sites, free: Mask) -> Ints:
    """Give shard, box and row of ``sites.serves`` of the spot machines ``free``, ``(3, Y)``."""
    fleet, machines = standing.fleet, standing.fleet.machines
    rows = np.flatnonzero(free & fleet.numbers.is_spot[machines.class_index])
    cell = machines.cell[rows]
    box = box_numbers(
        fleet,
        machines.class_index[rows].astype(np.int64),
        fleet.zone_codes()[cell].astype(np.int64),
    )
    stacked = np.stack([machines.shard[rows].astype(np.int64), box, sites.kind[cell]])
    unique: Ints = np.unique(stacked, axis=1)
    return unique


def _spot_held(standing: Standing) -> dict[int, dict[int, int]]:
    """Give for each need its spot machines by (class, zone)."""
    fleet, machines, serves = standing.fleet, standing.fleet.machines, standing.serves
    rows = np.flatnonzero((serves >= 0) & fleet.numbers.is_spot[machines.class_index])
    zone = fleet.zone_codes()[machines.cell[rows]].astype(np.int64)
    box = box_numbers(fleet, machines.class_index[rows].astype(np.int64), zone)
    held: dict[int, dict[int, int]] = {}
    for need, own in places_of(serves[rows]).items():
        found, counts = np.unique(box[own], return_counts=True)
        held[need] = dict(zip(found.tolist(), counts.tolist(), strict=True))
    return held


def is_free_of_known_price(standing: Standing) -> Mask:
    """Mark the machines, ``(M,)``, that are idle or speculative, for nobody, at a known price."""
    fleet, machines = standing.fleet, standing.fleet.machines
    known = ~np.isnan(fleet.numbers.price_per_hour)[machines.class_index]
    mask: Mask = standing.free & known & np.isin(machines.state, (State.IDLE, State.SPECULATIVE))
    return mask
