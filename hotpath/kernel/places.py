"""Classes, boxes and cells of a fleet as the compiled shard counts them, and what suits a need."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hotpath.label_columns import LabelColumns
from models.bootstrap import is_bootstrap_key
from models.fleet import Codes, Fleet, Mask, Reals, resource_vector
from models.need import Need
from models.requirement import Operator, Requirement
from models.settings import Settings

Bytes = NDArray[np.uint8]

_MOST_KEPT = 1_000

NONE_GIVEN = np.zeros(0, dtype=np.uint8)


@dataclass(frozen=True, eq=False, slots=True)
class Places:
    """Boxes, which are the (class, zone) pairs of a fleet's cells, in this order.

    Attributes
    ----------
    box_class, box_zone
        Shape ``(B,)``. The zone is -1 where there is none.
    cell_box
        Shape ``(C,)``.
    first_cell
        Shape ``(B,)``. A cell of each box.
    hold_seconds
        Shape ``(K,)``. How long an idle machine of the class is kept; infinite where it is fixed.
    """

    box_class: Codes
    box_zone: Codes
    cell_box: Codes
    first_cell: NDArray[np.int64]
    hold_seconds: Reals


def places_of(fleet: Fleet, settings: Settings) -> Places:
    """Give the boxes of a fleet."""
    zone = fleet.zone_codes()
    width = int(zone.max(initial=-1)) + 2
    key = fleet.cells.class_index.astype(np.int64) * width + zone + 1
    boxes, first, cell_box = np.unique(key, return_index=True, return_inverse=True)
    hold = settings.release.hold
    return Places(
        box_class=(boxes // width).astype(np.int32),
        box_zone=(boxes % width - 1).astype(np.int32),
        cell_box=cell_box.astype(np.int32),
        first_cell=first.astype(np.int64),
        hold_seconds=np.array(
            [hold.seconds(kind.capacity_type) for kind in fleet.classes], dtype=np.float64
        ),
    )


Profile = tuple[int, tuple[tuple[Requirement, bool], ...]]
"""What a mask of cells depends on: the set of classes that suit, as bits, and what is asked besides
of labels whose values differ within a class. True: a cell without the label suits as well."""

Masks = tuple[Bytes, Bytes]
"""By box, ``(B,)``, and by cell, ``(C,)``, each of length 0 where all suit. A cell suits where its
class and both do."""


@dataclass(frozen=True, slots=True)
class Suits:
    """Which cells suit needs: ``hotpath.matching`` by the few classes where these can tell.

    A set of classes is an integer's bits: short as a key, and so it crosses the border.
    """

    fleet: Fleet
    places: Places
    bootstrap_keys: tuple[str, ...]
    labels: LabelColumns = field(init=False)
    _is_bootstrap: dict[str, bool] = field(default_factory=dict)
    _box_codes: dict[str, Codes | None] = field(default_factory=dict)
    _fitting: dict[frozenset[tuple[str, int]], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", LabelColumns(self.fleet))

    def profiles(self, need: Need) -> tuple[Profile, Profile]:
        """Give the profiles of the need's machines, unconfigured and configured ones.

        They are one object where the bootstrap makes no difference.
        """
        asked: list[Requirement] = []
        opened: list[Requirement] = []
        for requirement in need.requirements:
            (opened if self._is_met_by_bootstrap(requirement) else asked).append(requirement)
        blank = self._narrowed((self._fits(need), ()), asked, is_open=False)
        return blank, self._narrowed(blank, opened, is_open=True) if opened else blank

    def words(self, profiles: Iterable[Profile]) -> NDArray[np.uint64]:
        """Give the sets of classes of some profiles as words of 64 bits, one after the other."""
        size = -(-len(self.fleet.classes) // 64) * 8
        words = b"".join([classes.to_bytes(size, "little") for classes, _ in profiles])
        return np.frombuffer(words, dtype="<u8").astype(np.uint64, copy=False)

    def masks(self, profile: Profile) -> Masks:
        """Say which boxes and cells suit, those of classes that do not left aside."""
        boxes, cells = NONE_GIVEN, NONE_GIVEN
        for requirement, is_open in profile[1]:
            met, place_of_cell = self._met(requirement, is_open=is_open)
            of_box = self._codes_of_boxes(requirement.key, place_of_cell)
            if of_box is not None:
                boxes = _both(boxes, met[of_box])
            else:
                cells = _both(cells, met[place_of_cell])
        return boxes, cells

    def _narrowed(
        self, profile: Profile, requirements: Sequence[Requirement], *, is_open: bool
    ) -> Profile:
        """Give what is left of a profile where requirements are asked as well."""
        classes, finer = profile
        for requirement in requirements:
            place_of_cell = self.labels.column(requirement.key).place_of_cell
            if place_of_cell is self.fleet.cells.class_index:
                classes &= _bits(self._met(requirement, is_open=is_open)[0])
            else:
                finer = (*finer, (requirement, is_open))
        return classes, finer

    def _met(self, requirement: Requirement, *, is_open: bool) -> tuple[Mask, Codes]:
        """Mark the places of a label that suit; give the place of each cell too."""
        met, place_of_cell = self.labels.met(requirement)
        if is_open:
            is_absent = Requirement(requirement.key, Operator.DOES_NOT_EXIST)
            met = met | self.labels.met(is_absent)[0]
        return met, place_of_cell

    def _is_met_by_bootstrap(self, requirement: Requirement) -> bool:
        key = requirement.key
        if key not in self._is_bootstrap:
            self._is_bootstrap[key] = is_bootstrap_key(key, self.bootstrap_keys)
        return self._is_bootstrap[key]

    def _fits(self, need: Need) -> int:
        """Give the classes that have the resources."""
        key = frozenset(need.resources.items())
        if key not in self._fitting:
            # Needs ask for few different amounts; whoever asks for ever new ones fills no memory.
            if len(self._fitting) >= _MOST_KEPT:
                self._fitting.clear()
            wanted, resources = resource_vector(self.fleet, need), self.fleet.numbers.resources
            self._fitting[key] = 0 if wanted is None else _bits(np.all(resources >= wanted, axis=1))
        return self._fitting[key]

    def _codes_of_boxes(self, key: str, place_of_cell: Codes) -> Codes | None:
        """Give the place of a label in each box; None where cells of a box differ in it."""
        if key not in self._box_codes:
            of_box = place_of_cell[self.places.first_cell]
            alike = np.array_equal(of_box[self.places.cell_box], place_of_cell)
            self._box_codes[key] = of_box if alike else None
        return self._box_codes[key]


def _both(known: Bytes, mask: Mask) -> Bytes:
    """Give what both mark; nothing was said before where ``known`` is of length 0."""
    marks = mask.view(np.uint8)
    return known & marks if len(known) else marks


def _bits(mask: Mask) -> int:
    """Give what a mask marks as bits, the first as the lowest."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")
