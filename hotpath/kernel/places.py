"""Classes, boxes and cells of a fleet as the compiled shard counts them, and what suits a need."""

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


Profile = tuple[object, ...]
"""What a mask of cells depends on."""

Masks = tuple[Bytes, Bytes, Bytes]
"""By class, ``(K,)``; by box, ``(B,)``, and by cell, ``(C,)``, each of length 0 where all suit. A
cell suits where all three do."""


@dataclass(frozen=True, slots=True)
class Suits:
    """Which cells suit needs: ``hotpath.matching`` by the few classes where these can tell."""

    fleet: Fleet
    places: Places
    bootstrap_keys: tuple[str, ...]
    labels: LabelColumns = field(init=False)
    _is_bootstrap: dict[str, bool] = field(default_factory=dict)
    _box_codes: dict[str, Codes | None] = field(default_factory=dict)
    _fitting: dict[frozenset[tuple[str, int]], Mask] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", LabelColumns(self.fleet))

    def profiles(self, need: Need) -> tuple[Profile, Profile]:
        """Give what ``masks`` depends on, unconfigured and configured: equal where these are."""
        blank = (False, need.requirements, frozenset(need.resources.items()))
        for requirement in need.requirements:
            if self._is_met_by_bootstrap(requirement):
                return blank, (True, *blank[1:])
        return blank, blank

    def masks(self, need: Need, *, configured: bool) -> Masks:
        """Say which cells can serve, unconfigured ones or ``configured`` ones as they are."""
        classes, boxes, cells = self._fits(need), NONE_GIVEN, NONE_GIVEN
        for requirement in need.requirements:
            is_open = self._is_met_by_bootstrap(requirement)
            if is_open and not configured:
                continue
            met, place_of_cell = self.labels.met(requirement)
            if is_open:
                is_absent = Requirement(requirement.key, Operator.DOES_NOT_EXIST)
                met = met | self.labels.met(is_absent)[0]
            if place_of_cell is self.fleet.cells.class_index:
                classes = classes & met
                continue
            of_box = self._codes_of_boxes(requirement.key, place_of_cell)
            if of_box is not None:
                boxes = _both(boxes, met[of_box])
            else:
                cells = _both(cells, met[place_of_cell])
        return classes.view(np.uint8), boxes, cells

    def _is_met_by_bootstrap(self, requirement: Requirement) -> bool:
        key = requirement.key
        if key not in self._is_bootstrap:
            self._is_bootstrap[key] = is_bootstrap_key(key, self.bootstrap_keys)
        return self._is_bootstrap[key]

    def _fits(self, need: Need) -> Mask:
        key = frozenset(need.resources.items())
        if key not in self._fitting:
            # Needs ask for few different amounts; whoever asks for ever new ones fills no memory.
            if len(self._fitting) >= _MOST_KEPT:
                self._fitting.clear()
            wanted, resources = resource_vector(self.fleet, need), self.fleet.numbers.resources
            self._fitting[key] = (
                np.zeros(len(resources), dtype=np.bool_)
                if wanted is None
                else np.all(resources >= wanted, axis=1)
            )
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
