"""What a machine costs a need over the horizon: the rungs of the ladder that it climbs."""

from dataclasses import dataclass, field

import numpy as np

from models.cost import DEAREST_USD, NANOS_PER_USD, effective_cost_nanos
from models.fleet import Fleet, Reals
from models.need import Need

SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True, eq=False, slots=True)
class Rungs:
    """Effective costs by class, each found once for all needs of one interruption penalty.

    Numbers are finite: an unknown price counts as dearer than any, and nothing of it is taken.
    """

    fleet: Fleet
    horizon_seconds: float
    _known: dict[tuple[float, bool], Reals] = field(default_factory=dict)

    def hosted(self, need: Need) -> Reals:
        """Give what one with a host costs, ``(K,)`` USD: a fixed one is paid in any case."""
        return self._costs(need, all_paid=False)

    def created(self, need: Need) -> Reals:
        """Give what one costs that does not exist yet, ``(K,)`` USD, without its start."""
        return self._costs(need, all_paid=True)

    def starts(self, machine_class: int, ready_seconds: float) -> float:
        """Give two start costs, USD: the machine is paid while it becomes ready."""
        price = min(float(self.fleet.numbers.price_per_hour[machine_class]), DEAREST_USD)
        return min(2 * price * ready_seconds / SECONDS_PER_HOUR, DEAREST_USD)

    def _costs(self, need: Need, *, all_paid: bool) -> Reals:
        key = (need.interruption_penalty, all_paid)
        if key not in self._known:
            numbers = self.fleet.numbers
            price = numbers.price_per_hour
            if not all_paid:
                price = np.where(numbers.is_elastic | np.isnan(price), price, 0.0)
            nanos = effective_cost_nanos(
                price, numbers.interruption_probability, need.interruption_penalty
            )
            hours = self.horizon_seconds / SECONDS_PER_HOUR
            self._known[key] = np.minimum(nanos / NANOS_PER_USD * hours, DEAREST_USD)
        return self._known[key]
