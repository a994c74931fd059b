"""What classes cost a need, and what is alike to that, as the compiled shard's menus."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from models.cost import effective_cost_nanos
from models.fleet import Fleet, Ints
from models.need import Need
from models.settings import Settings

Menu = tuple[float, tuple[int, ...]]
"""Interruption penalty, and which scarce resources the need leaves unasked."""

_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Menus:
    """Makes menus for a fleet."""

    fleet: Fleet
    settings: Settings
    tolerance: Fraction = field(init=False)
    _wastes: dict[tuple[int, ...], NDArray[np.uint8]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tolerance = Fraction(repr(self.settings.assign.price_tolerance))
        object.__setattr__(self, "tolerance", tolerance)

    def menu(self, need: Need) -> Menu:
        """Give what a need's menu depends on."""
        resources = self.fleet.resources
        spared = [
            resources.index(name)
            for name in self.settings.assign.scarce
            if name in resources and not need.resources.get(name, 0)
        ]
        return (need.interruption_penalty, tuple(spared))

    def columns(self, menus: Sequence[Menu]) -> tuple[Ints, Ints, NDArray[np.uint8]]:
        """Give costs, limits and waste of some menus, each ``(m, K)``.

        A limit says up to what cost others are alike to the class on the spot market.
        """
        numbers = self.fleet.numbers
        penalty = np.array([penalty for penalty, _ in menus], dtype=np.float64)
        cost = effective_cost_nanos(
            numbers.price_per_hour, numbers.interruption_probability, penalty[:, None]
        )
        limit, spot = cost.copy(), np.flatnonzero(numbers.is_spot)
        limit[:, spot] = within(cost[:, spot], self.tolerance)
        return cost, limit, np.stack([self._waste(spared) for _, spared in menus])

    def _waste(self, spared: tuple[int, ...]) -> NDArray[np.uint8]:
        """Mark the classes, ``(K,)``, that have any of some resources."""
        if spared not in self._wastes:
            scarce = self.fleet.numbers.resources[:, list(spared)]
            self._wastes[spared] = np.any(scarce > 0, axis=1).view(np.uint8)
        return self._wastes[spared]


def within(cost: Ints, tolerance: Fraction) -> Ints:
    """Give ``cost x (1 + tolerance)``, rounded down, and no more than the largest integer.

    ``tolerance`` is at most 1, so it is enough to look at the cost in parts of its denominator.
    """
    top, bottom = tolerance.numerator, tolerance.denominator
    if top * bottom > _LARGEST:
        exact = [min(int(nanos * (1 + tolerance)), _LARGEST) for nanos in cost.ravel().tolist()]
        return np.array(exact, dtype=np.int64).reshape(cost.shape)
    whole, rest = np.divmod(cost, bottom)
    more: Ints = whole * top + rest * top // bottom
    return np.asarray(cost + np.minimum(more, _LARGEST - cost), dtype=np.int64)
