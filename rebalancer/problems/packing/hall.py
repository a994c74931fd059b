"""What is to be packed: a hall of racks, and the gangs that are to stand in it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from models.distinct import sums
from models.fleet import Ints, Mask
from rebalancer.problems.packing.classes import GangClasses, gang_classes
from rebalancer.problems.packing.columns import RACK, SPINE, Gangs, Racks


@dataclass(frozen=True, eq=False)
class Hall:
    """Racks, gangs, and which types each set of types holds: ``eligible``, ``(sets, types)`` bool.

    Raises
    ------
    ValueError
        When a rack or a gang names a row or column that ``eligible`` has not.
    """

    racks: Racks
    gangs: Gangs
    eligible: Mask

    def __post_init__(self) -> None:
        if self.eligible.ndim != 2 or self.eligible.dtype != np.bool_:
            raise ValueError("eligible is no matrix of bool.")
        sets, types = self.eligible.shape
        if len(self.racks) and self.racks.type.max() >= types:
            raise ValueError(f"type {self.racks.type.max()} has no column in eligible.")
        if len(self.gangs) and self.gangs.types.max() >= sets:
            raise ValueError(f"set {self.gangs.types.max()} has no row in eligible.")

    @cached_property
    def pool(self) -> Ints:
        """The pool of each rack, ``(R,)``: racks of one spine and type share one, from 0."""
        pairs = np.column_stack([self.racks.spine, self.racks.type])
        return np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

    @cached_property
    def pool_type(self) -> Ints:
        """The type of each pool."""
        types = np.zeros(self.pool.max(initial=-1) + 1, dtype=np.int64)
        types[self.pool] = self.racks.type
        return types

    @cached_property
    def pool_free(self) -> Ints:
        """The free machines of each pool."""
        return sums(self.pool, self.racks.free, len(self.pool_type))

    @cached_property
    def pool_rows(self) -> list[Ints]:
        """The racks of each pool, by row."""
        ends = np.cumsum(np.bincount(self.pool, minlength=len(self.pool_type)))
        return np.split(np.argsort(self.pool, kind="stable"), ends[:-1])

    @cached_property
    def priorities(self) -> Ints:
        """The priorities that gangs have, from the highest down, ``(P,)``."""
        return np.unique(self.gangs.priority)[::-1]

    @cached_property
    def classes(self) -> GangClasses:
        """The gangs, counted."""
        return gang_classes(self.gangs, self.priorities)

    @cached_property
    def room(self) -> Ints:
        """The machines of the largest rack and of the largest pool of each type, ``(2, types)``."""
        room = np.zeros((2, self.eligible.shape[1]), dtype=np.int64)
        np.maximum.at(room[RACK], self.racks.type, self.racks.free)
        np.maximum.at(room[SPINE], self.pool_type, self.pool_free)
        return room

    @cached_property
    def slot_sizes(self) -> Ints:
        """The sizes of rack-bound gangs for which some rack has room, sorted and distinct."""
        bound_to_rack = self.gangs.size[self.gangs.level == RACK]
        return np.unique(bound_to_rack[bound_to_rack <= self.room[RACK].max(initial=0)])

    @cached_property
    def fits(self) -> Mask:
        """Mark the types that a class may use and that have room for it, ``(K, types)``."""
        classes = self.classes
        has_room = self.room[classes.level] >= classes.size[:, None]
        mask: Mask = has_room & self.eligible[classes.types]
        return mask

    @cached_property
    def has_hope(self) -> Mask:
        """Mark the gangs that some place has room for, ``(G,)``; the others count nowhere."""
        by_class: Mask = np.logical_or.reduce(self.fits, axis=1)
        return by_class[self.classes.of]

    def part(self, racks: Ints, gangs: Ints) -> "Hall":
        """Give the question of some racks and gangs alone.

        Sets that differ in types that are not there become one, which leaves fewer classes.
        """
        part, wants = self.racks.take(racks), self.gangs.take(gangs)
        is_there = np.zeros(self.eligible.shape[1], dtype=np.bool_)
        is_there[part.type] = True
        sets, which = np.unique(self.eligible & is_there, axis=0, return_inverse=True)
        types = which.reshape(-1)[wants.types].astype(np.int64)
        return Hall(part, Gangs(wants.size, wants.priority, types, wants.level), sets)
