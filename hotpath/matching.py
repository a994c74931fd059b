"""Which cells can serve a need: requirements and resources, decided per cell, not per machine."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hotpath.label_columns import LabelColumns
from hotpath.plain.rules.fits import fits
from hotpath.plain.rules.matches import matches
from models.bootstrap import is_bootstrap_key
from models.cost import effective_cost_nanos
from models.fleet import Codes, Fleet, Ints, Mask
from models.need import Need
from models.requirement import Operator, Requirement


def eligible_cells(columns: LabelColumns, need: Need, bootstrap_keys: Sequence[str]) -> Mask:
    """Mark the cells, shape ``(C,)``, of which an unconfigured machine may serve the need."""
    return matches(columns, need, bootstrap_keys) & fits(columns.fleet, need)


def configured_cells(columns: LabelColumns, need: Need, bootstrap_keys: Sequence[str]) -> Mask:
    """Mark the cells of which a machine that is configured already may serve the need as it is.

    A label under a bootstrap key is compared where a machine carries it; a machine that does not
    carry it was made to fit by its blob.
    """
    mask = eligible_cells(columns, need, bootstrap_keys)
    for requirement in need.requirements:
        if is_bootstrap_key(requirement.key, bootstrap_keys):
            is_absent = Requirement(requirement.key, Operator.DOES_NOT_EXIST)
            mask &= columns.meets(is_absent) | columns.meets(requirement)
    return mask


@dataclass(frozen=True, slots=True)
class Matching:
    """Eligibility of the needs of one fleet, each profile worked out once.

    Needs with the same requirements and resources share one answer: 1,500 needs of a shard have
    far fewer profiles.
    """

    fleet: Fleet
    bootstrap_keys: tuple[str, ...]
    labels: LabelColumns = field(init=False)
    _known: dict[tuple[object, ...], Mask] = field(default_factory=dict)
    _levels: dict[str, tuple[Codes, tuple[str, ...]]] = field(default_factory=dict)
    _costs: dict[float, Ints] = field(default_factory=dict)
    _values: dict[str, Codes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", LabelColumns(self.fleet))

    def eligible(self, need: Need) -> Mask:
        """See ``eligible_cells``."""
        return self._answer(need, configured=False)

    def as_configured(self, need: Need) -> Mask:
        """See ``configured_cells``."""
        return self._answer(need, configured=True)

    def classes(self, need: Need) -> Mask:
        """Mark the classes, shape ``(K,)``, of which any cell is eligible."""
        cells = self.eligible(need)
        mask = np.zeros(len(self.fleet.classes), dtype=np.bool_)
        mask[self.fleet.cells.class_index[cells]] = True
        return mask

    def costs(self, need: Need) -> Ints:
        """Give the effective cost of each class for the need, ``(K,)`` nano-USD an hour."""
        penalty = need.interruption_penalty
        if penalty not in self._costs:
            numbers = self.fleet.numbers
            self._costs[penalty] = effective_cost_nanos(
                numbers.price_per_hour, numbers.interruption_probability, penalty
            )
        return self._costs[penalty]

    def domains(self, key: str) -> Codes:
        """Give the topology domain of each cell, -1 outside all; see ``Fleet.cell_domains``."""
        return self._level(key)[0]

    def domain_names(self, key: str) -> tuple[str, ...]:
        """Give the names behind ``domains``."""
        return self._level(key)[1]

    def values(self, key: str) -> Codes:
        """Give the value of a label in each cell as a code; -1 where it is absent or empty."""
        if key not in self._values:
            self._values[key] = self.fleet.cell_values(key)[0]
        return self._values[key]

    @property
    def zones(self) -> Codes:
        """Give the zone of each cell; codes follow the names, -1 where it has none."""
        return self.fleet.zone_codes()

    def _level(self, key: str) -> tuple[Codes, tuple[str, ...]]:
        if key not in self._levels:
            self._levels[key] = self.fleet.cell_domains(key)
        return self._levels[key]

    def _answer(self, need: Need, *, configured: bool) -> Mask:
        if configured and not any(
            is_bootstrap_key(requirement.key, self.bootstrap_keys)
            for requirement in need.requirements
        ):
            configured = False
        profile = (configured, need.requirements, tuple(sorted(need.resources.items())))
        if profile not in self._known:
            answer = configured_cells if configured else eligible_cells
            mask = answer(self.labels, need, self.bootstrap_keys)
            mask.flags.writeable = False
            self._known[profile] = mask
        return self._known[profile]
