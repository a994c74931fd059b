"""Machines of one name, found without writing out every name of every pattern."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.pattern import HOLE, divisors, expand, has_hole

_DIGITS = re.compile(r"[0-9]+")
_DIGITS_AND_HOLES = re.compile(rf"(?:[0-9]|{HOLE})+")


@dataclass(frozen=True, slots=True)
class Named:
    """The id of one row of a document; ``count`` is None where braces are literal."""

    index: int
    id: str
    count: int | None


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The first id of a row that another row, or this row itself, has too."""

    index: int
    id: str
    first: int


def duplicates(rows: Sequence[Named]) -> list[Duplicate]:
    """Give for each row the first of its ids that an earlier row, or itself, has.

    Names are written out only where two rows could collide: digits and holes set aside, they
    read alike. Rows that may differ in nothing but the index cost as many steps as they have ids.
    """
    if all(row.count is None for row in rows):
        return _written_out(rows)
    found: list[Duplicate] = []
    for group in _colliding(rows):
        if len(group) > 1 or _repeats_itself(group[0]):
            found += _written_out(group)
    return sorted(found, key=lambda duplicate: duplicate.index)


def _colliding(rows: Sequence[Named]) -> Iterator[list[Named]]:
    """Give groups of rows; ids of two groups are never equal.

    An id with each run of digits replaced by # is the same for all ids of a pattern, so rows with
    different ones never collide; nor do rows that differ in a run which is fixed in all of them.
    """
    alike: defaultdict[str, list[tuple[Named, list[str]]]] = defaultdict(list)
    for row in rows:
        run = _DIGITS if row.count is None else _DIGITS_AND_HOLES
        alike[run.sub("#", row.id)].append((row, [found[0] for found in run.finditer(row.id)]))
    for group in alike.values():
        varies = {
            place
            for row, runs in group
            if row.count is not None
            for place, run in enumerate(runs)
            if has_hole(run)
        }
        parts: defaultdict[tuple[str, ...], list[Named]] = defaultdict(list)
        for row, runs in group:
            fixed = tuple(run for place, run in enumerate(runs) if place not in varies)
            parts[fixed].append(row)
        yield from parts.values()


def _repeats_itself(row: Named) -> bool:
    """Tell whether two indices give one id.

    Every hole grows with the index, so equal ids agree hole by hole: they can only be equal if no
    hole tells each index from the next.
    """
    steps = [int(divisor or 1) for divisor in divisors(row.id)]
    return (row.count or 0) > 1 and 1 not in steps


def _written_out(rows: Sequence[Named]) -> list[Duplicate]:
    first: dict[str, int] = {}
    found = []
    for row in rows:
        names = [row.id] if row.count is None else expand(row.id, row.count)
        for name in names:
            if name in first:
                found.append(Duplicate(row.index, name, first[name]))
                break
            first[name] = row.index
    return found
