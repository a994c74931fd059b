"""A few numbers that say how large a fleet is and what an answer changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from models.action import Action, Verb
from models.fleet import Fleet
from models.machine import State
from models.plan import Move


@dataclass(frozen=True, slots=True)
class Purchase:
    """Machines alike that are bought; a price that is unknown is NaN."""

    count: int
    instance_type: str
    capacity_type: str
    price_per_hour: float

    @property
    def cost_per_hour(self) -> float:
        """Give what all of them cost, USD an hour."""
        return self.count * self.price_per_hour


@dataclass(frozen=True, slots=True)
class Summary:
    """A fleet in numbers.

    Attributes
    ----------
    hosts, serving
        Machines that are real; those of them that are configured for a cluster.
    cost_before, cost_after
        Prices of all machines with a host, USD an hour, now and once orders and moves are carried
        out; machines of unknown price, of which there are ``unpriced``, are left out.
    purchases
        What is bought, dearest together first.
    """

    name: str
    shards: int
    clusters: int
    needs: int
    machines: int
    hosts: int
    serving: int
    unpriced: int
    cost_before: float
    cost_after: float
    purchases: tuple[Purchase, ...]


def summary_of(fleet: Fleet, actions: Sequence[Action], moves: Sequence[Move] = ()) -> Summary:
    """Count a fleet, and what orders and moves between shards change in its cost."""
    machines = fleet.machines
    prices = fleet.numbers.price_per_hour[machines.class_index]
    hosts = machines.hosted
    # A speculative slot is moved or kept for a need in order to be bought for it.
    bought = [action.machine for action in actions if action.verb is Verb.CREATE]
    moved = [row for move in moves if move.need >= 0 for row in move.machines]
    bought += [row for row in moved if machines.state[row] == State.SPECULATIVE]
    sold = [action.machine for action in actions if action.verb is Verb.DELETE]
    # What cheaper machines take the place of is released, unless it is paid for anyway.
    given_up = [row for move in moves if 0 <= move.need == move.victim for row in move.machines]
    is_elastic = fleet.numbers.is_elastic[machines.class_index]
    sold += [row for row in given_up if is_elastic[row]]
    before = float(np.nansum(prices[hosts]))
    added = float(np.nansum(prices[bought])) - float(np.nansum(prices[sold]))
    return Summary(
        name=fleet.name,
        shards=len(fleet.shards),
        clusters=len(fleet.clusters),
        needs=len(fleet.needs),
        machines=len(machines),
        hosts=int(np.count_nonzero(hosts)),
        serving=int(np.count_nonzero(machines.state == State.CONFIGURED)),
        unpriced=int(np.count_nonzero(np.isnan(prices[hosts]))),
        cost_before=before,
        cost_after=before + added,
        purchases=_purchases(fleet, bought),
    )


def _purchases(fleet: Fleet, bought: Sequence[int]) -> tuple[Purchase, ...]:
    counts: dict[tuple[str, str, float], int] = {}
    for row in bought:
        kind = fleet.classes[fleet.machines.class_index[row]]
        # NaN is not equal to itself, so it must be the same object to be one key.
        price = kind.price_per_hour if not isnan(kind.price_per_hour) else np.nan
        key = (kind.instance_type, str(kind.capacity_type), price)
        counts[key] = counts.get(key, 0) + 1
    found = [Purchase(count, *key) for key, count in counts.items()]
    return tuple(
        sorted(
            found,
            key=lambda row: (
                isnan(row.price_per_hour),
                -row.cost_per_hour,
                row.instance_type,
                row.capacity_type,
            ),
        )
    )
