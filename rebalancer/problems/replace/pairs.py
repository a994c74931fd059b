"""From flows to pairs: which machines take the place of which, and what each pair saves."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from rebalancer.flows.shares import dealt
from rebalancer.problems.replace.gangs import Chosen
from rebalancer.problems.replace.market import Market
from rebalancer.problems.replace.network import Entry, Laid

NOISE = 1e-9
"""Of an amount: sums of floats depend on their order."""


@dataclass(frozen=True, slots=True)
class Swap:
    """Machines of one need that others take the place of, all or none.

    Attributes
    ----------
    fresh, running
        (group, machines) pairs, as many machines in one as in the other. Of a gang there are
        several, of other needs one.
    saves_usd
        Over the horizon, penalties and starts taken off.
    noise_usd
        What saves no more than this may be no more than rounding.
    """

    need: int
    fresh: tuple[tuple[int, int], ...]
    running: tuple[tuple[int, int], ...]
    saves_usd: float
    noise_usd: float

    @property
    def machines(self) -> int:
        """Give how many are replaced."""
        return sum(count for _, count in self.running)


def swaps_of(market: Market, laid: Laid, chosen: Chosen) -> list[Swap]:
    """Give the swaps of a flow, what saves most a machine first; none that saves nothing."""
    stock = _Stock.of(market, laid, chosen.flow)
    swaps = [*_gangs(market, laid, chosen, stock), *_plain(market, laid, chosen.flow, stock)]
    paying = [swap for swap in swaps if swap.saves_usd > swap.noise_usd]
    return sorted(paying, key=lambda swap: (-swap.saves_usd / swap.machines, swap.need))


@dataclass(frozen=True, eq=False, slots=True)
class _Stock:
    """What has flowed into each lot, by fresh group, and is not yet given to a need."""

    of_lot: dict[int, list[tuple[int, int]]]

    @staticmethod
    def of(market: Market, laid: Laid, flow: Ints) -> "_Stock":
        into = flow[laid.lots]
        of_lot: dict[int, list[tuple[int, int]]] = {}
        for group in np.flatnonzero(into).tolist():
            of_lot.setdefault(int(market.fresh.lot[group]), []).append((group, int(into[group])))
        return _Stock(of_lot)

    def take(self, entry: Entry, flow: Ints) -> list[tuple[int, int]]:
        """Give (fresh group, machines) of what flows in at an entry."""
        taken = []
        amounts = flow[entry.at]
        for at in np.flatnonzero(amounts).tolist():
            source, left = int(entry.source[at]), int(amounts[at])
            if not entry.from_lots:
                taken.append((source, left))
                continue
            groups = self.of_lot[source]
            while left:
                group, there = groups.pop()
                part = min(left, there)
                if there > part:
                    groups.append((group, there - part))
                taken.append((group, part))
                left -= part
        return taken


def _gangs(market: Market, laid: Laid, chosen: Chosen, stock: _Stock) -> Iterator[Swap]:
    running = market.running
    for q, number in chosen.options.items():
        gang = laid.gangs[q]
        if number is not None:
            fresh = [
                pair
                for entry in gang.options[number].entries
                for pair in stock.take(entry, chosen.flow)
            ]
            own = np.flatnonzero(running.need == gang.need).tolist()
            given_up = tuple((group, len(running.machines[group])) for group in own)
            costs = market.costs(gang.need, np.array([group for group, _ in fresh]))
            paid = float(costs @ np.array([count for _, count in fresh]))
            yield Swap(gang.need, tuple(fresh), given_up, gang.worth - paid, NOISE * paid)


def _plain(market: Market, laid: Laid, flow: Ints, stock: _Stock) -> Iterator[Swap]:
    """Pair what comes with what goes, what may be interrupted first on both sides.

    So no more that is safe gives way to what is not than the floor's arc has let through.
    """
    running = market.running
    old = market.is_risky(running.machine_class)
    new = market.is_risky(market.fresh.machine_class)
    for entry, exit in zip(laid.entries, laid.exits, strict=True):
        amounts = flow[exit.at]
        places = np.flatnonzero(amounts).tolist()
        going = [(int(exit.group[at]), int(amounts[at])) for at in places]
        coming = stock.take(entry, flow)
        coming.sort(key=lambda pair: not new[pair[0]])
        going.sort(key=lambda pair: not old[pair[0]])
        for fresh, group, count in dealt(coming, going):
            cost = float(market.costs(entry.need, np.array([fresh]))[0])
            saves = count * (float(running.worth[group]) - cost)
            yield Swap(
                entry.need, ((fresh, count),), ((group, count),), saves, NOISE * cost * count
            )
