"""What classes cost a need, and what is alike to that, as the compiled shard's menus."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from models.cost import effective_cost_nanos
from models.fleet import Fleet, Ints, Mask
from models.need import Need
from models.settings import Settings

Menu = tuple[float, tuple[int, ...]]
"""Interruption penalty, and which of the scarce resources the need leaves unasked."""

NO_PENALTY: Menu = (0.0, ())
"""What classes cost a need that minds nothing."""

_LARGEST = 2**63 - 1


class Menus:
    """Makes menus for a fleet."""

    def __init__(self, fleet: Fleet, settings: Settings) -> None:
        numbers = fleet.numbers
        self._scarce = [name for name in settings.assign.scarce if name in fleet.resources]
        self._has_scarce = numbers.resources[:, list(map(fleet.resources.index, self._scarce))] > 0
        self._tolerance = tolerance = Fraction(repr(settings.assign.price_tolerance))
        self.tolerance = (tolerance.numerator, tolerance.denominator)
        """As the shard takes it: 0 / 0 where the numbers are too large for it."""
        if tolerance.numerator * tolerance.denominator > _LARGEST:
            self.tolerance = (0, 0)
        # A penalty changes the cost of those only that may be interrupted.
        self._risky = np.flatnonzero(numbers.interruption_probability > 0)
        self._price = numbers.price_per_hour[self._risky]
        self._probability = numbers.interruption_probability[self._risky]
        self._is_spot = numbers.is_spot[self._risky]
        self._cost = effective_cost_nanos(numbers.price_per_hour, 0.0, 0.0)
        self._limit = self._limits(self._cost, numbers.is_spot)
        self._wastes: dict[tuple[int, ...], bytes] = {}

    def menu(self, need: Need) -> Menu:
        """Give what a need's menu depends on."""
        asked = need.resources
        spared = [at for at, name in enumerate(self._scarce) if not asked.get(name, 0)]
        return (need.interruption_penalty, tuple(spared))

    def columns(self, menus: Sequence[Menu]) -> tuple[Ints, Ints, NDArray[np.uint8]]:
        """Give costs, limits and waste of some menus, each ``(m, K)``.

        A limit says up to what cost others are alike to the class on the spot market.
        """
        penalty = np.array([penalty for penalty, _ in menus], dtype=np.float64)
        risky = effective_cost_nanos(self._price, self._probability, penalty[:, None])
        cost, limit = (column[None].repeat(len(menus), 0) for column in (self._cost, self._limit))
        cost[:, self._risky], limit[:, self._risky] = risky, self._limits(risky, self._is_spot)
        return cost, limit, self.wastes(menus)

    def wastes(self, menus: Sequence[Menu]) -> NDArray[np.uint8]:
        """Mark, ``(m, K)``, which classes have something scarce that a menu leaves unasked."""
        wastes = b"".join([self._waste(spared) for _, spared in menus])
        return np.frombuffer(wastes, dtype=np.uint8).reshape(len(menus), -1)

    def _limits(self, cost: Ints, is_spot: Mask) -> Ints:
        return np.where(is_spot, within(cost, self._tolerance), cost)

    def _waste(self, spared: tuple[int, ...]) -> bytes:
        """Mark the classes, ``(K,)``, that have any of some scarce resources."""
        if spared not in self._wastes:
            self._wastes[spared] = np.any(self._has_scarce[:, list(spared)], axis=1).tobytes()
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
