"""Which machines match and fit which need, read plainly from labels and resources."""

from dataclasses import dataclass, field

import numpy as np

from models.bootstrap import is_bootstrap_key
from models.fleet import Codes, Fleet, Mask
from models.requirement import Requirement
from models.settings import Settings


@dataclass(frozen=True, eq=False, slots=True)
class Suits:
    """Answers by cell, each found once: the judge asks the same again for every check."""

    fleet: Fleet
    settings: Settings
    _labels: dict[str, list[str | None]] = field(default_factory=dict)
    _codes: dict[str, Codes] = field(default_factory=dict)
    _domains: dict[str, tuple[Codes, tuple[str, ...]]] = field(default_factory=dict)
    _matches: dict[tuple[Requirement, ...], Mask] = field(default_factory=dict)
    _fits: dict[int, Mask] = field(default_factory=dict)

    def labels(self, key: str) -> list[str | None]:
        """Give the value of a label in each cell."""
        if key not in self._labels:
            self._labels[key] = self.fleet.cell_labels(key)
        return self._labels[key]

    def value_codes(self, key: str) -> Codes:
        """Give the value of a label in each cell as a number; -1 where it is absent or empty."""
        if key not in self._codes:
            self._codes[key] = self.fleet.cell_values(key)[0]
        return self._codes[key]

    def domains(self, key: str) -> tuple[Codes, tuple[str, ...]]:
        """Give the topology domain of each cell, and the names; see ``Fleet.cell_domains``."""
        if key not in self._domains:
            self._domains[key] = self.fleet.cell_domains(key)
        return self._domains[key]

    def matches(self, need: int) -> Mask:
        """Tell which cells meet the need's requirements, bootstrap keys aside; shape ``(C,)``."""
        asked = self.fleet.needs[need].requirements
        if asked not in self._matches:
            allowed = np.ones(len(self.fleet.cells), dtype=np.bool_)
            for requirement in asked:
                if not _is_bootstrap(self.settings, requirement.key):
                    values, place = self.fleet.cell_label_codes(requirement.key)
                    allowed &= requirement.matches_each(values)[place]
            self._matches[asked] = allowed
        return self._matches[asked]

    def fits(self, need: int) -> Mask:
        """Tell which cells have all the resources the need asks for; shape ``(C,)``."""
        if need not in self._fits:
            enough = np.ones(len(self.fleet.classes), dtype=np.bool_)
            for name, amount in self.fleet.needs[need].resources.items():
                if name in self.fleet.resources:
                    column = self.fleet.resources.index(name)
                    enough &= self.fleet.numbers.resources[:, column] >= amount
                elif amount > 0:
                    enough[:] = False
            self._fits[need] = enough[self.fleet.cells.class_index]
        return self._fits[need]

    def has(self, need: int, machine: int) -> bool:
        """Tell whether a machine matches and fits."""
        cell = self.fleet.machines.cell[machine]
        return bool(self.matches(need)[cell] and self.fits(need)[cell])

    def could_hold(self, need: int, machine: int) -> bool:
        """Tell whether a configured machine could serve the need without a new bootstrap.

        A label that a bootstrap sets is compared where the machine carries it; a machine that
        does not was made to fit.
        """
        cell = self.fleet.machines.cell[machine]
        return self.has(need, machine) and all(
            value is None or requirement.matches(value)
            for requirement in self.fleet.needs[need].requirements
            for value in [self.labels(requirement.key)[cell]]
            if _is_bootstrap(self.settings, requirement.key)
        )

    def machines(self, need: int) -> Mask:
        """Tell which machines match and fit; shape ``(M,)``."""
        cells = self.matches(need) & self.fits(need)
        return cells[self.fleet.machines.cell]


def _is_bootstrap(settings: Settings, key: str) -> bool:
    return is_bootstrap_key(key, settings.assign.bootstrap_keys)
