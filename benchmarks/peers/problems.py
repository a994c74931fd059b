"""The problems as every peer gets them: plain numbers that cross to another process as JSON.

Level 0 is the most important one. An answer is a list of triples, one meaning a problem; what is
counted twice is added. Only the standard library is imported here, so that a peer in another
environment can read this file.
"""

import json
from dataclasses import asdict, dataclass
from typing import ClassVar

Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Packing:
    """Gangs go whole into one rack; an answer's triple is (gang class, rack, gangs).

    First the machines served at each level, the first level first; then ``whole``, the free
    machines of racks that nothing was put into.

    Attributes
    ----------
    rack_kind, rack_free
        One entry a rack: a number of its kind, and its free machines.
    gang_size, gang_level, gang_count, gang_kinds
        One entry a class of like gangs: machines a gang, level, gangs, kinds of rack that suit.
    """

    name: ClassVar[str] = "packing"
    rack_kind: list[int]
    rack_free: list[int]
    gang_size: list[int]
    gang_level: list[int]
    gang_count: list[int]
    gang_kinds: list[list[int]]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Give the gang classes and racks that suit each other and have room for one gang."""
        return [
            (g, r)
            for g, (size, kinds) in enumerate(zip(self.gang_size, self.gang_kinds, strict=True))
            for r, (kind, free) in enumerate(zip(self.rack_kind, self.rack_free, strict=True))
            if kind in kinds and size <= free
        ]


Problem = Packing
KINDS: dict[str, type[Problem]] = {kind.name: kind for kind in (Packing,)}


def to_json(problem: Problem) -> str:
    """Give a problem as JSON."""
    return json.dumps({"problem": problem.name, **asdict(problem)})


def from_json(text: str) -> Problem:
    """Give the problem that ``to_json`` wrote."""
    columns = json.loads(text)
    return KINDS[columns.pop("problem")](**columns)
