"""Who is the better victim, and how long its drain may take."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hotpath.plain.ledger import Ledger
from models.fleet import Ints, Mask, Reals
from models.machine import NOBODY

MILLIONTHS = 1_000_000


def grace_seconds(steps: Sequence[tuple[int, float]], gap: Ints) -> Reals:
    """Give the grace for each priority gap; ``steps`` hold (least gap, seconds), widest first."""
    grace = np.full(gap.shape, steps[-1][1], dtype=np.float64)
    for least, seconds in reversed(steps):
        grace[gap >= least] = seconds
    return grace


@dataclass(frozen=True, eq=False, slots=True)
class Victims:
    """Machines that may be drained for one need, each entry of shape ``(v,)``.

    Attributes
    ----------
    machines
        Places in the inventory.
    need
        What each serves; for an excess machine the need it names, or NOBODY.
    is_excess
        Serves (or drains for) nobody: comes first and costs nothing.
    priority
        Of the need it serves; 0 for every excess machine, which serves none.
    score
        In millionths; higher is the better victim.
    grace
        Seconds.
    """

    machines: Ints
    need: Ints
    is_excess: Mask
    priority: Ints
    score: Ints
    grace: Reals

    def take(self, rows: Ints) -> "Victims":
        """Give the named entries."""
        return Victims(*(getattr(self, name)[rows] for name in self.__slots__))

    def __len__(self) -> int:
        return len(self.machines)


def victims_of(ledger: Ledger, preemptor: int, machines: Ints, *, saturated: bool) -> Victims:
    """Weigh the candidates for a preemptor; ``saturated``: by the score of a full shard."""
    needs, settings = ledger.needs, ledger.settings.preempt
    is_excess = ledger.excess[machines] | (ledger.serves[machines] == NOBODY)
    need = np.where(is_excess, ledger.names[machines], ledger.serves[machines]).astype(np.int64)
    own = needs[preemptor].priority
    priority = np.where(need == NOBODY, own, ledger.inventory.terms.priority[need])
    gap = own - priority
    grace = grace_seconds(settings.grace, gap)
    score = _score(ledger, machines, need, is_excess, grace, saturated)
    if saturated:
        largest = int(gap[~is_excess].max(initial=1))
        score = score + np.where(is_excess, 0.0, 2 * gap / largest)
    return Victims(
        machines=machines,
        need=need,
        is_excess=is_excess,
        priority=np.where(is_excess, 0, priority),
        score=np.rint(score * MILLIONTHS).astype(np.int64),
        grace=grace,
    )


def _score(
    ledger: Ledger,
    machines: Ints,
    need: Ints,
    is_excess: Mask,
    grace: Reals,
    saturated: bool,
) -> Reals:
    """Give ``w1 / (1 + drain/60) + w2 / (1 + interruption/10) + w3 / (1 + reclamation/1000)``.

    Nobody is interrupted on an excess machine, and no need's reclamation penalty holds for it.
    """
    settings = ledger.settings.preempt
    speed, interruption, reclamation = settings.saturated if saturated else settings.normal
    terms = ledger.inventory.terms
    drain_seconds = terms.drain_seconds[need]
    per_interruption = terms.interruption_penalty[need]
    per_machine = terms.reclamation_penalty[need]
    own = ledger.inventory.machines.reclamation_penalty[machines]
    lost = np.where(is_excess, own, np.maximum(own, per_machine))
    result: Reals = (
        speed / (1 + np.minimum(drain_seconds, grace) / 60)
        + interruption / (1 + np.where(is_excess, 0, per_interruption) / 10)
        + reclamation / (1 + lost / 1000)
    )
    return result


def is_saturated(ledger: Ledger, preemptor: int) -> bool:
    """Tell whether a tier-1 preemptor meets a shard whose machines are nearly all in use.

    In use is every machine with a host that a cluster holds.
    """
    if ledger.needs[preemptor].priority < ledger.settings.shortfalls.tier1:
        return False
    return 0 < ledger.inventory.in_use >= ledger.settings.preempt.saturation
