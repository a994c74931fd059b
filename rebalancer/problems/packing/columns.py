"""Racks and gangs as columns, checked once."""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints

RACK, SPINE = 0, 1
"""What a gang is bound to."""


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
