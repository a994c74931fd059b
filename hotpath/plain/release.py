"""Release: delete idle machines that are billed while they run, unless they will be wanted soon."""

from math import log

import numpy as np

from hotpath.memory import Memory, Rate
from hotpath.plain.ledger import Ledger
from models.action import Action, Verb
from models.machine import NOBODY
from models.settings.sections import ReleaseSettings

SECONDS_PER_MINUTE = 60.0


def release(ledger: Ledger, memory: Memory) -> None:
    """Order Delete of unreserved idle elastic machines that have been idle for their hold.

    The k-th idle machine of a class, the latest to become idle first, is held on while the forecast
    over the window is at least k, at most for ``hold_max``.
    """
    inventory, settings = ledger.inventory, ledger.settings.release
    columns, fleet = inventory.machines, inventory.fleet
    elastic = fleet.numbers.is_elastic[columns.class_index]
    free = ledger.idle & (ledger.serves == NOBODY) & elastic & ~columns.pinned
    machines = np.flatnonzero(free & (~ledger.excess | ledger.stood))
    latest = np.lexsort((columns.id_rank[machines], -columns.state_since[machines]))
    seen: dict[int, int] = {}
    for machine in machines[latest].tolist():
        k = int(columns.class_index[machine])
        seen[k] = seen.get(k, 0) + 1
        idle_seconds = ledger.now - float(columns.state_since[machine])
        if idle_seconds < settings.hold.seconds(fleet.classes[k].capacity_type):
            continue
        expected = forecast(memory, fleet.class_key(k), settings, ledger.now)
        if expected >= seen[k] and idle_seconds < settings.hold_max:
            continue
        ledger.delete(np.array([machine], dtype=np.int64), "idle for longer than its hold")


def forecast(memory: Memory, class_key: str, settings: ReleaseSettings, now: float) -> float:
    """Give the assignments of a class expected over the window."""
    rate = memory.rates.get(class_key)
    if rate is None:
        return 0.0
    return decayed(rate, settings, now) * settings.window / SECONDS_PER_MINUTE


def decayed(rate: Rate, settings: ReleaseSettings, now: float) -> float:
    """Give the assignments a minute of a class as of now."""
    halvings = max(0.0, now - rate.at) / settings.half_life
    return float(rate.per_minute * 0.5**halvings)


def learned_rates(
    memory: Memory, ledger: Ledger, actions: list[Action], now: float
) -> dict[str, Rate]:
    """Give the rates with this cycle's assignments in.

    An exponentially weighted rate: each assignment adds its weight x ln 2 / half-life, so that a
    steady stream of one a minute settles at 1; one that takes a Create and a Configure counts once.
    Weights are 1 + priority / 1e6, within 1 to 2.
    """
    inventory, settings = ledger.inventory, ledger.settings.release
    per_assignment = log(2) * SECONDS_PER_MINUTE / settings.half_life
    added: dict[int, float] = {}
    for action in actions:
        # To configure what is reserved for the need carries out an assignment made before.
        was_made = inventory.fleet.machines.serves[action.machine] == action.need
        if action.verb in (Verb.CONFIGURE, Verb.CREATE) and not was_made:
            k = int(inventory.fleet.machines.class_index[action.machine])
            priority = inventory.fleet.needs[action.need].priority
            weight = min(2.0, max(1.0, 1 + priority / 1e6))
            added[k] = added.get(k, 0.0) + weight * per_assignment
    rates = {key: Rate(decayed(rate, settings, now), now) for key, rate in memory.rates.items()}
    for k, more in added.items():
        key = inventory.fleet.class_key(k)
        rates[key] = Rate(rates[key].per_minute + more if key in rates else more, now)
    return rates
