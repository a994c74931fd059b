"""The labels of a fleet's cells, laid out once for many requirements."""

from dataclasses import dataclass, field

import numpy as np

from models.fleet import Codes, Fleet, Mask
from models.requirement import Operator, Requirement


@dataclass(frozen=True, eq=False, slots=True)
class LabelColumn:
    """One label: its values, some perhaps alike; where each stands; the place of each cell."""

    values: tuple[str | None, ...]
    places: dict[str | None, list[int]]
    place_of_cell: Codes


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """The columns that were asked for so far."""

    fleet: Fleet
    _known: dict[str, LabelColumn] = field(default_factory=dict)

    def meets(self, requirement: Requirement) -> Mask:
        """Mark the cells, shape ``(C,)``, whose label meets a requirement.

        Costs as many look-ups as the requirement has values where it names them (``In``), and
        else as many tests as the label has.
        """
        met, place_of_cell = self.met(requirement)
        mask: Mask = met[place_of_cell]
        return mask

    def met(self, requirement: Requirement) -> tuple[Mask, Codes]:
        """Mark the places of a label that meet a requirement; give the place of each cell too.

        Places and cells as in ``Fleet.cell_label_codes``.
        """
        column = self._column(requirement.key)
        if requirement.operator is Operator.IN:
            met = np.zeros(len(column.values), dtype=np.bool_)
            met[[at for value in requirement.values for at in column.places.get(value, ())]] = True
        else:
            met = requirement.matches_each(column.values)
        return met, column.place_of_cell

    def _column(self, key: str) -> LabelColumn:
        if key not in self._known:
            values, place_of_cell = self.fleet.cell_label_codes(key)
            places: dict[str | None, list[int]] = {}
            for place, value in enumerate(values):
                places.setdefault(value, []).append(place)
            self._known[key] = LabelColumn(values, places, place_of_cell)
        return self._known[key]
