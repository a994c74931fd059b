"""What is to be packed: racks and gangs as columns, and what an answer is worth."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from models.fleet import Ints, Mask

RACK, SPINE = 0, 1
"""What a gang is bound to."""

NOWHERE = -1
"""The home of a gang that is not served."""


def _check(columns: dict[str, Ints], least: dict[str, int]) -> None:
    rows = {column.shape for column in columns.values()}
    if len(rows) != 1 or len(next(iter(rows))) != 1:
        shapes = {name: column.shape for name, column in columns.items()}
        raise ValueError(f"columns differ in shape: {shapes}.")
    for name, column in columns.items():
        if column.dtype != np.int64:
            raise ValueError(f"{name} is {column.dtype}, expected int64.")
        if (column < least[name]).any():
            row = int(np.argmin(column))
            raise ValueError(f"{name}[{row}] is {column[row]}, expected {least[name]} or more.")
        column.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Racks:
    """Free machines that one gang may take together, ``R`` rows, all ``(R,)`` int64.

    A rack whose machines gangs do tell apart is several rows of one ``domain``, one a type: a gang
    takes machines of one row. Types that no gang tells apart are one type to the caller.

    Parameters
    ----------
    type, domain, spine
        Numbers from 0. No two rows share domain and type; a domain lies in one spine.
    free
        Machines, 0 or more.

    Raises
    ------
    ValueError
        When shapes or kinds disagree, numbers are negative or rows repeat.
    """

    type: Ints
    domain: Ints
    spine: Ints
    free: Ints

    def __post_init__(self) -> None:
        names = ("type", "domain", "spine", "free")
        _check({name: getattr(self, name) for name in names}, dict.fromkeys(names, 0))
        rows = np.column_stack([self.domain, self.type])
        if len(np.unique(rows, axis=0)) != len(rows):
            raise ValueError("two rows share domain and type.")
        spines = np.unique(np.column_stack([self.domain, self.spine]), axis=0)
        if len(spines) != len(np.unique(self.domain)):
            raise ValueError("a domain lies in two spines.")

    def __len__(self) -> int:
        return len(self.free)

    def take(self, rows: Ints) -> "Racks":
        """Give some rows alone, in the order given."""
        return Racks(self.type[rows], self.domain[rows], self.spine[rows], self.free[rows])


@dataclass(frozen=True, eq=False)
class Gangs:
    """Who wants machines, ``G`` rows, all ``(G,)`` int64.

    Parameters
    ----------
    size
        Machines, 1 or more.
    priority
        The higher is served first.
    types
        Row of the question's ``eligible``.
    level
        ``RACK`` or ``SPINE``.
    """

    size: Ints
    priority: Ints
    types: Ints
    level: Ints

    def __post_init__(self) -> None:
        least = {"size": 1, "priority": -(2**62), "types": 0, "level": RACK}
        _check({name: getattr(self, name) for name in least}, least)
        if (self.level > SPINE).any():
            raise ValueError(f"level is {self.level.max()}, expected {RACK} or {SPINE}.")

    def __len__(self) -> int:
        return len(self.size)

    def take(self, rows: Ints) -> "Gangs":
        """Give some rows alone, in the order given."""
        return Gangs(self.size[rows], self.priority[rows], self.types[rows], self.level[rows])


@dataclass(frozen=True, eq=False)
class Question:
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
    def priorities(self) -> Ints:
        """The priorities that gangs have, from the highest down, ``(P,)``."""
        return np.unique(self.gangs.priority)[::-1]

    def part(self, racks: Ints, gangs: Ints) -> "Question":
        """Give the question of some racks and gangs alone."""
        return Question(self.racks.take(racks), self.gangs.take(gangs), self.eligible)


def sums(places: Ints, amounts: Ints, length: int) -> Ints:
    """Add up ``amounts`` by place; exact, which ``bincount`` with weights is only below 2**53."""
    total = np.zeros(length, dtype=np.int64)
    np.add.at(total, places, amounts)
    return total


def nowhere(question: Question) -> Ints:
    """Give the homes where no gang is served, ``(G,)``."""
    return np.full(len(question.gangs), NOWHERE, dtype=np.int64)


def left_in(question: Question, home: Ints) -> tuple[Ints, Ints]:
    """Give what rack-bound gangs leave of each rack, and what all leave of each pool."""
    racks, gangs, pool = question.racks, question.gangs, question.pool
    in_rack = (gangs.level == RACK) & (home >= 0)
    in_pool = (gangs.level == SPINE) & (home >= 0)
    rack_left = racks.free - sums(home[in_rack], gangs.size[in_rack], len(racks))
    pools = len(question.pool_type)
    pool_left = sums(pool, rack_left, pools) - sums(home[in_pool], gangs.size[in_pool], pools)
    return rack_left, pool_left


def holds(question: Question, home: Ints) -> bool:
    """Tell whether homes, ``(G,)``, are allowed: a rack's row or a pool each, or ``NOWHERE``."""
    gangs = question.gangs
    if home.shape != (len(gangs),) or home.dtype != np.int64:
        return False
    places = np.where(gangs.level == RACK, len(question.racks), len(question.pool_type))
    if ((home < NOWHERE) | (home >= places)).any():
        return False
    for level, types in ((RACK, question.racks.type), (SPINE, question.pool_type)):
        served = (gangs.level == level) & (home >= 0)
        if not question.eligible[gangs.types[served], types[home[served]]].all():
            return False
    rack_left, pool_left = left_in(question, home)
    return bool((rack_left >= 0).all() and (pool_left >= 0).all())


def served(question: Question, home: Ints) -> tuple[int, ...]:
    """Give the machines that serve gangs of each priority, from the highest down."""
    gangs = question.gangs
    taken = np.where(home >= 0, gangs.size, 0)
    return tuple(int(taken[gangs.priority == p].sum()) for p in question.priorities)


def untouched(question: Question, home: Ints) -> Mask:
    """Mark the racks that nobody need touch, ``(R,)``: of all ways to stand, the best.

    A rack without free machines counts as touched. In a pool with gangs of its own the empty racks
    to spare are a subset sum, solved exactly; of equal ones the larger racks are spared.
    """
    rack_left, pool_left = left_in(question, home)
    spared: Mask = (rack_left == question.racks.free) & (rack_left > 0)
    drawn = sums(question.pool, rack_left, len(pool_left)) - pool_left
    for pool in np.flatnonzero(drawn):
        rows = np.flatnonzero(spared & (question.pool == pool))
        spared[rows] = False
        order = rows[np.argsort(-question.racks.free[rows], kind="stable")]
        spared[_subset(order, question.racks.free[order], int(pool_left[pool]))] = True
    return spared


def _subset(rows: Ints, sizes: Ints, most: int) -> Ints:
    """Give the rows whose sizes come closest to ``most`` from below."""
    reached = [1]  # Bit n of an entry: some of the last rows make n.
    for size in sizes[::-1].tolist():
        reached.append(reached[-1] | reached[-1] << size)
    left = (reached[-1] & ((1 << (most + 1)) - 1)).bit_length() - 1
    chosen = []
    for row, size, rest in zip(rows.tolist(), sizes.tolist(), reached[-2::-1], strict=True):
        if left >= size and rest >> (left - size) & 1:
            chosen.append(row)
            left -= size
    return np.array(chosen, dtype=np.int64)


def whole(question: Question, home: Ints) -> int:
    """Give the machines of racks that nobody need touch."""
    return int(question.racks.free[untouched(question, home)].sum())


def key(question: Question, home: Ints) -> tuple[int, ...]:
    """Give what the homes are worth, goal by goal; the larger tuple is the better answer."""
    return (*served(question, home), whole(question, home))
