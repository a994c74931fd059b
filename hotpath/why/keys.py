"""The orders of both phases key by key, so that one can say which key decided."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotpath.plain.candidates import waste
from hotpath.plain.ledger import Ledger
from hotpath.plain.score import is_saturated, victims_of
from hotpath.plain.stock import DECADES
from hotpath.why.losing import Lost
from models.cost import SATURATED_COST
from models.fleet import Ints, Mask
from models.machine import NOBODY


@dataclass(frozen=True, eq=False, slots=True)
class Keys:
    """An order over ``machines``, ``(v,)``: columns of that shape, the first that differs decides.

    What no column can hold, because each machine that is taken changes it, is left out: emptier
    domains, spot diversity and shares, and the toll. The id comes last, so no two are equal; under
    TOLL where the toll would have come before it.
    """

    machines: Ints
    columns: tuple[tuple[Lost, NDArray[np.generic]], ...]

    def against_last(self, chosen: Mask) -> tuple[dict[Lost, Ints], dict[Lost, Ints]]:
        """Compare with the last of the ``chosen``, ``(v,)``, of which there is at least one.

        Gives the other machines that come after it, and those that come before it, each by the key
        that says so.
        """
        order = np.lexsort([column for _, column in reversed(self.columns)])
        last = order[chosen[order]][-1]
        rest = ~chosen
        later, earlier = {}, {}
        for key, column in self.columns:
            later[key] = self.machines[rest & (column > column[last])]
            earlier[key] = self.machines[rest & (column < column[last])]
            rest &= column == column[last]
        return later, earlier


def free_keys(ledger: Ledger, need: int, machines: Ints) -> Keys:
    """Give phase 1's order of free machines; see ``hotpath.plain.candidates``."""
    asked, columns = ledger.needs[need], ledger.inventory.machines
    numbers, k = ledger.inventory.fleet.numbers, columns.class_index[machines]
    is_speculative = ledger.speculative[machines]
    late = columns.ready_seconds[machines] > ledger.settings.assign.max_wait
    price, p = numbers.price_per_hour[k], numbers.interruption_probability[k]
    cost = ledger.matching.costs(asked)[k]
    saturated = cost == SATURATED_COST
    decade = np.searchsorted(DECADES, columns.reclamation_penalty[machines])
    return Keys(
        machines,
        (
            (Lost.IDLE_FIRST, is_speculative),
            (Lost.RESERVED, ledger.serves[machines] != NOBODY),
            (Lost.SCARCE, waste(ledger, asked)[k]),
            (Lost.LATE, is_speculative & late),
            (Lost.UNPRICED, np.isnan(price)),
            (Lost.DECADE, np.where(is_speculative, 0, decade)),
            (Lost.COST, cost),
            (Lost.RISK, np.where(is_speculative | saturated, p, 0.0)),
            (Lost.PRICE, np.where(saturated, price, 0.0)),
            (Lost.ZONE, np.where(is_speculative, ledger.matching.zones[columns.cell[machines]], 0)),
            (Lost.CLASS, k),
            (Lost.ID, columns.id_rank[machines]),
        ),
    )


def victim_keys(ledger: Ledger, need: int, machines: Ints) -> Keys:
    """Give phase 2's order: what drains already, then excess, then victims; ``victims.select``."""
    drains = ledger.draining[machines]
    saturated = is_saturated(ledger, need)
    in_use, priority, score = (np.zeros(len(machines), dtype=np.int64) for _ in range(3))
    for rows, by_score in ((drains, False), (~drains, saturated)):
        weighed = victims_of(ledger, need, machines[rows], saturated=by_score)
        in_use[rows], score[rows] = ~weighed.is_excess, weighed.score
        priority[rows] = 0 if by_score else weighed.priority
    return Keys(
        machines,
        (
            (Lost.DRAINING_FIRST, ~drains),
            (Lost.EXCESS_FIRST, in_use),
            (Lost.PRIORITY, priority),
            (Lost.SCORE, -score),
            (
                Lost.TOLL if _has_toll(ledger, machines) else Lost.ID,
                ledger.inventory.machines.id_rank[machines],
            ),
        ),
    )


def _has_toll(ledger: Ledger, machines: Ints) -> bool:
    """Tell whether what was taken already can decide between machines: clusters, or a gang."""
    served = np.unique(ledger.serves[machines])
    is_gang = any(ledger.needs[need].is_gang for need in served[served >= 0].tolist())
    return is_gang or len(np.unique(ledger.inventory.machines.cluster[machines])) > 1
