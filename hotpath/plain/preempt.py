"""Phase 2: take machines from lower needs for one that is still short, and never in vain."""

from dataclasses import dataclass

import numpy as np

from hotpath.plain.assign import choose, order, spares_of
from hotpath.plain.ledger import Ledger
from hotpath.plain.pick import Picked
from hotpath.plain.purse import Purse, purse_of
from hotpath.plain.rules.domain import gang_cells
from hotpath.plain.rules.floor import above_floor
from hotpath.plain.rules.priority import gives_way
from hotpath.plain.score import Victims, is_saturated, victims_of
from hotpath.plain.spread import skew_of
from hotpath.plain.victims import damage_usd, select
from models.fleet import Ints, Mask
from models.machine import NOBODY


def preempt(ledger: Ledger, need: int) -> None:
    """Drain for a need what its deficit asks for: nobody's machines first, then lower needs'.

    A need for which a Create was ordered in this cycle waits for its outcome first.
    """
    missing = ledger.missing(need)
    if not missing or ledger.created[need]:
        return
    if ledger.needs[need].is_gang:
        _preempt_for_gang(ledger, need, missing)
        return
    purse = purse_of(ledger, need, skew_of(ledger, need))
    ledger.take_over(need, _draining(ledger, need, missing, purse))
    evict(ledger, need, _victims(ledger, need, ledger.missing(need), purse))


def _draining(
    ledger: Ledger, need: int, wanted: int, purse: Purse, among: Mask | None = None
) -> Ints:
    """Give machines that drain for nobody or for a strictly lower need, the lowest claim first.

    As many as are wanted, and as spread and floor allow.
    """
    mask = ledger.draining & ledger.eligible(need)
    mask &= (ledger.serves == NOBODY) | ledger.is_lower(ledger.serves, need)
    if among is not None:
        mask &= among
    machines = np.flatnonzero(mask)
    claim = victims_of(ledger, need, machines, saturated=False)
    return select(ledger, claim, wanted, by_score=False, purse=purse).machines


def _candidates(ledger: Ledger, need: int) -> Mask:
    """Mark every machine that the need may drain: excess, and what serves a lower need."""
    mask: Mask = ledger.movable() & ledger.eligible(need) & gives_way(ledger, need)
    return mask


def _victims(
    ledger: Ledger, need: int, wanted: int, purse: Purse, among: Mask | None = None
) -> Victims:
    """Choose up to ``wanted`` victims for the need."""
    mask = _candidates(ledger, need)
    if among is not None:
        mask &= among
    saturated = is_saturated(ledger, need)
    weighed = victims_of(ledger, need, np.flatnonzero(mask), saturated=saturated)
    return select(ledger, weighed, wanted, by_score=saturated, purse=purse)


def evict(ledger: Ledger, need: int, victims: Victims) -> None:
    """Order the drains."""
    for machine, victim, excess, grace in zip(
        victims.machines.tolist(),
        victims.need.tolist(),
        victims.is_excess.tolist(),
        victims.grace.tolist(),
        strict=True,
    ):
        spare = None if excess else _spare(ledger, victim)
        if excess or spare is not None:
            reason = "beyond every count, and wanted"
        else:
            lower = ledger.needs[victim]
            reason = f"preempted: {lower.name} has the lower priority {lower.priority}"
        if spare is not None:
            _swap(ledger, machine, spare, victim)
        ledger.drain(need, machine, grace, reason)


def _spare(ledger: Ledger, victim: int) -> int | None:
    """Give the excess machine that can step in for a victim's, so that the victim loses nothing."""
    spares = spares_of(ledger, victim)
    spares = spares[ledger.names[spares] == victim]
    return int(spares[-1]) if len(spares) else None


def _swap(ledger: Ledger, machine: int, spare: int, victim: int) -> None:
    """Let the excess machine serve, and the serving one be excess."""
    ledger.adopt(victim, np.array([spare]))
    ledger.have[victim] -= 1
    ledger.excess[machine], ledger.held[machine] = True, False
    ledger.names[machine] = victim


@dataclass(frozen=True, slots=True)
class _Scheme:
    """How one domain would hold a gang; ``key`` is (evictions, damage, left over, name)."""

    key: tuple[int, float, int, int]
    free: list[Picked]
    draining: Ints
    victims: Victims


def _preempt_for_gang(ledger: Ledger, need: int, missing: int) -> None:
    """Choose domain and victims together; nothing happens where the gang would still not fit."""
    cells = gang_cells(ledger, need)
    domain = cells[ledger.inventory.machines.cell]
    free = ledger.idle_for(need) | ledger.speculative_for(need)
    leaving = ledger.draining & ((ledger.serves == NOBODY) | ledger.is_lower(ledger.serves, need))
    usable = ledger.eligible(need) & above_floor(ledger, need) & (domain >= 0)
    room = np.bincount(
        domain[usable & (free | leaving | _candidates(ledger, need))],
        minlength=int(domain.max(initial=-1)) + 1,
    )
    schemes = [
        scheme
        for code in np.flatnonzero(room >= missing).tolist()
        if (scheme := _scheme(ledger, need, missing, cells == code, (int(room[code]), code)))
    ]
    if not schemes:
        return
    best = min(schemes, key=lambda scheme: scheme.key)
    order(ledger, need, best.free)
    ledger.take_over(need, best.draining)
    evict(ledger, need, best.victims)


def _scheme(
    ledger: Ledger, need: int, missing: int, cells: Mask, place: tuple[int, int]
) -> _Scheme | None:
    """Fill one domain: from what is free, what drains already, excess, then victims."""
    purse = purse_of(ledger, need, skew_of(ledger, need))
    inside, (room, code) = cells[ledger.inventory.machines.cell], place
    free = choose(ledger, need, missing, purse, cells)
    left = missing - sum(len(part.machines) for part in free)
    draining = _draining(ledger, need, left, purse, inside)
    victims = _victims(ledger, need, left - len(draining), purse, inside)
    if len(victims) < left - len(draining):
        return None
    evictions = int(np.count_nonzero(~victims.is_excess))
    key = (evictions, damage_usd(ledger, victims), room - missing, code)
    return _Scheme(key, free, draining, victims)
