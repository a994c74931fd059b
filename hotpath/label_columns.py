"""The labels of a fleet's cells, laid out once for many requirements."""

from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from models.fleet import Codes, Fleet, Mask
from models.requirement import Operator, Requirement


@dataclass(frozen=True, eq=False, slots=True)
class LabelColumn:
    """One label: a number for each of its values, that of each place, and the place of each cell.

    Places are those of ``Fleet.cell_label_codes``, some perhaps with values that are alike. Their
    numbers are as wide as numpy wants indices to be: it is asked for them again and again.
    """

    numbers: dict[str | None, int]
    number_of_place: NDArray[np.intp]
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
        """Mark the places of a label that meet a requirement; give the place of each cell too."""
        column = self.column(requirement.key)
        numbers = column.numbers
        if requirement.operator is Operator.IN:
            # The last stands for values that nobody has.
            values, none = requirement.values, len(numbers)
            met = np.zeros(none + 1, dtype=np.bool_)
            met[np.fromiter(map(numbers.get, values, repeat(none)), np.intp, len(values))] = True
        else:
            met = requirement.matches_each(tuple(numbers))
        return met[column.number_of_place], column.place_of_cell

    def column(self, key: str) -> LabelColumn:
        """Give the column of a label."""
        if key not in self._known:
            values, place_of_cell = self.fleet.cell_label_codes(key)
            numbers: dict[str | None, int] = {}
            number_of_place = [numbers.setdefault(value, len(numbers)) for value in values]
            self._known[key] = LabelColumn(
                numbers, np.array(number_of_place, dtype=np.intp), place_of_cell
            )
        return self._known[key]
