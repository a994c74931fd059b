"""Prices that move: a bounded walk of every spot class, and prices that are set."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from models.machine import CapacityType
from providers.simulated.draws import uniform
from providers.simulated.knobs import Prices
from providers.simulated.world import World


@dataclass(slots=True)
class Walk:
    """How far the price of each class, by number, has gone from where it began: a factor."""

    prices: Prices
    factors: dict[int, float] = field(default_factory=dict)
    steps: int = 0

    def go(self, world: World, seed: int, provider: str, seconds: float) -> None:
        """Let every spot class make the steps that are due so long after the beginning."""
        while (self.steps + 1) * self.prices.every <= seconds:
            self.steps += 1
            self._step(world, seed, provider)

    def _step(self, world: World, seed: int, provider: str) -> None:
        least, most, drift = self.prices.least, self.prices.most, self.prices.drift
        moved = []
        for number, kind in enumerate(world.classes):
            if kind.capacity_type is CapacityType.SPOT and kind.price_per_hour:
                chance = uniform(seed, provider, "price", number, self.steps)
                was = self.factors.get(number, 1.0)
                now = min(max(was * (1 + drift * (2 * chance - 1)), least), most)
                self.factors[number] = now
                world.classes[number] = replace(
                    kind, price_per_hour=kind.price_per_hour / was * now
                )
                moved.append(number)
        if moved:
            world.touch(np.flatnonzero(np.isin(world.class_index, moved)))


def set_price(world: World, machines: NDArray[np.bool_], price: float | None) -> None:
    """Give the marked machines, ``(n,)``, another price."""
    for number in np.unique(world.class_index[machines]).tolist():
        world.classes.append(replace(world.classes[number], price_per_hour=price))
        world.class_index[machines & (world.class_index == number)] = len(world.classes) - 1
    world.touch(np.flatnonzero(machines))
