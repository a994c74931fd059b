"""The books of one cycle: who has what so far, and what was ordered. Lives for one cycle only."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from hotpath.inventory import Inventory, cluster_of_need
from hotpath.matching import Matching
from hotpath.plain.roll import Roll
from hotpath.plain.stock import Stock
from models.action import Action, Verb
from models.fleet import Codes, Ints, Mask
from models.machine import NOBODY, State
from models.need import Need
from models.settings import Settings

ClassZone = tuple[int, int]
"""A class and a zone, -1 for none: where spot machines are interrupted together."""


@dataclass(eq=False, slots=True)
class Ledger:
    """Mutable columns beside an inventory's machines (``m``) and its fleet's needs (``N``).

    Attributes
    ----------
    serves
        Shape ``(m,)``. The need a machine serves, is reserved for or drains for; NOBODY.
    held
        Shape ``(m,)``. Counts for the need it serves: configured, configuring, creating, reserved.
    idle, speculative
        Shape ``(m,)``. May still be given to a need; an idle one may be reserved meanwhile.
    excess
        Shape ``(m,)``. Held by a cluster that was heard from, beyond every count.
    stood
        Shape ``(m,)``. Excess for as long as ``reclaim.delay``.
    names
        Shape ``(m,)``. The need that an excess machine was serving, or NOBODY.
    draining
        Shape ``(m,)``. Drains, by this cycle's order or an earlier one, and may be waited for.
    have, waiting, created, lost
        Shape ``(N,)``. Machines that count for a need; that drain for it; Creates ordered for it in
        this cycle; machines that were taken from it in this cycle.
    given
        Shape of the fleet's clusters. Machines taken from each in this cycle.
    stock, roll, beyond
        Indices, made once the books are open: what was free; who had what; by cluster, which
        configured machines were beyond every count.
    """

    inventory: Inventory
    matching: Matching
    settings: Settings
    now: float
    serves: Codes
    held: Mask
    idle: Mask
    speculative: Mask
    excess: Mask
    stood: Mask
    names: Codes
    draining: Mask
    have: Ints
    waiting: Ints
    created: Ints
    lost: Ints
    given: Ints
    stock: Stock = field(default_factory=Stock.empty)
    roll: Roll = field(default_factory=Roll.empty)
    beyond: dict[int, Ints] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)
    _spots: dict[int, Counter[ClassZone]] = field(default_factory=dict)

    def copy(self) -> "Ledger":
        """Give books that can be written on without a trace in these."""
        columns = {
            name: getattr(self, name).copy()
            for name in self.__dataclass_fields__
            if isinstance(getattr(self, name), np.ndarray)
        }
        return replace(
            self,
            actions=list(self.actions),
            stock=self.stock.copy(),
            roll=self.roll.copy(),
            _spots={},
            **columns,
        )

    @property
    def needs(self) -> tuple[Need, ...]:
        """Give the needs of the fleet, which ``need`` numbers count in."""
        return self.inventory.fleet.needs

    def missing(self, need: int) -> int:
        """Give how many machines nothing is under way for yet."""
        count = self.needs[need].count
        return max(0, count - int(self.have[need]) - int(self.waiting[need]))

    def eligible(self, need: int) -> Mask:
        """Mark the machines, shape ``(m,)``, that may serve the need once they are unconfigured."""
        mask: Mask = self.matching.eligible(self.needs[need])[self.inventory.machines.cell]
        return mask

    def idle_for(self, need: int) -> Mask:
        """Mark idle machines that the need may have.

        Those that are unreserved, those reserved for a strictly lower need, and those whose
        reservation is beyond its need's count: for a while only for a strictly higher need, then
        for any.
        """
        claim = np.where(self.excess & ~self.stood, self.names, self.serves)
        mask: Mask = self.idle & ((claim == NOBODY) | self.is_lower(claim, need))
        return mask

    def may_have(self, need: int, machines: Ints) -> Mask:
        """Tell which of some free machines the need may have, a long wait aside."""
        lapsing = self.excess[machines] & ~self.stood[machines]
        claim = np.where(lapsing, self.names[machines], self.serves[machines])
        fits = self.matching.eligible(self.needs[need])[self.inventory.machines.cell[machines]]
        mask: Mask = fits & ((claim == NOBODY) | self.is_lower(claim, need))
        return mask

    def speculative_for(self, need: int) -> Mask:
        """Mark speculative machines that the need may have: tier 1 does not wait for slow ones."""
        settings = self.settings
        if self.needs[need].priority < settings.shortfalls.tier1:
            return self.speculative
        soon: Mask = self.inventory.machines.ready_seconds <= settings.assign.max_wait
        return self.speculative & soon

    def members(self, need: int) -> Ints:
        """Give the machines that the need has, those that drain for it among them."""
        if need in self.roll.changed:
            return np.flatnonzero((self.serves == need) & (self.held | self.draining))
        return self.roll.of(need)

    def excess_of(self, cluster: int) -> Ints:
        """Give the configured machines of a cluster that are still beyond every count."""
        found = self.beyond.get(cluster, np.zeros(0, dtype=np.int64))
        return found[self.excess[found] & ~self.draining[found]]

    def class_zones(self, machines: Ints) -> list[ClassZone]:
        """Give the class and zone of each machine; zone -1 where it has none."""
        columns = self.inventory.machines
        zones = self.matching.zones[columns.cell[machines]]
        return list(zip(columns.class_index[machines].tolist(), zones.tolist(), strict=True))

    def spot_places(self, machines: Ints) -> Counter[ClassZone]:
        """Count the spot machines among some by (class, zone)."""
        is_spot = self.inventory.fleet.numbers.is_spot[
            self.inventory.machines.class_index[machines]
        ]
        return Counter(self.class_zones(machines[is_spot]))

    def spot_of_cluster(self, cluster: int) -> Counter[ClassZone]:
        """Count the spot machines that a cluster holds by (class, zone)."""
        if cluster not in self._spots:
            owner = cluster_of_need(self.inventory.fleet, self.serves)
            self._spots[cluster] = self.spot_places(np.flatnonzero(self.held & (owner == cluster)))
        return self._spots[cluster]

    def _note(self, needs: Iterable[int]) -> None:
        """Take note that the members of some needs change."""
        for need in needs:
            if need >= 0:
                self.roll.changed.add(need)
                self._spots.pop(int(self.inventory.fleet.need_cluster[need]), None)

    def is_lower(self, other: Codes, need: int) -> Mask:
        """Mark where the other need is one of strictly lower priority than ``need``."""
        mask = np.zeros(other.shape, dtype=np.bool_)
        known = other >= 0
        mask[known] = self.inventory.terms.priority[other[known]] < self.needs[need].priority
        return mask

    def can_serve(self, need: int, machine: int) -> bool:
        """Tell whether one machine may serve the need once it is unconfigured."""
        cell = self.inventory.machines.cell[machine]
        return bool(self.matching.eligible(self.needs[need])[cell])

    def assign(self, need: int, machines: Ints, reason: str) -> None:
        """Order Configure for idle machines and Create for speculative ones."""
        self._note({need, *self.serves[machines].tolist()})
        for machine in machines:
            creating = bool(self.speculative[machine])
            reserved_for = int(self.serves[machine])
            if reserved_for >= 0 and self.held[machine]:
                self.have[reserved_for] -= 1
            self.created[need] += creating
            verb = Verb.CREATE if creating else Verb.CONFIGURE
            self.actions.append(Action(verb, self._row(machine), need, reason=reason))
        self.idle[machines] = self.speculative[machines] = self.excess[machines] = False
        self.serves[machines] = need
        self.held[machines] = True
        self.have[need] += len(machines)

    def configure_reserved(self, need: int, machines: Ints) -> None:
        """Order Configure for idle machines that were reserved for the need and count already."""
        self.idle[machines] = False
        self.actions.extend(
            Action(Verb.CONFIGURE, self._row(machine), need, reason="ready, and reserved for it")
            for machine in machines
        )

    def adopt(self, need: int, machines: Ints) -> None:
        """Let excess machines of its cluster serve the need; nothing has to be ordered for that."""
        self._note([need])
        self.excess[machines], self.held[machines] = False, True
        self.serves[machines] = need
        self.have[need] += len(machines)

    def take_over(self, need: int, machines: Ints) -> None:
        """Give the need the reservation of machines that drain already."""
        self._note({need, *self.serves[machines].tolist()})
        for machine in machines:
            if self.serves[machine] >= 0:
                self.waiting[self.serves[machine]] -= 1
        self.serves[machines] = need
        self.waiting[need] += len(machines)

    def drain(self, need: int, machine: int, grace_seconds: float, reason: str) -> None:
        """Order Drain of a machine, for a need or for nobody."""
        victim = int(self.serves[machine])
        self._note([need, victim])
        if victim >= 0 and not self.excess[machine]:
            self.lost[victim] += 1
        self.given[self.inventory.machines.cluster[machine]] += 1
        self.actions.append(Action(Verb.DRAIN, self._row(machine), need, grace_seconds, reason))
        self.excess[machine] = self.held[machine] = False
        self.draining[machine] = True
        self.serves[machine] = need
        if need >= 0:
            self.waiting[need] += 1

    def delete(self, machines: Ints, reason: str) -> None:
        """Order Delete of idle machines."""
        self.idle[machines] = False
        self.actions.extend(
            Action(Verb.DELETE, self._row(machine), reason=reason) for machine in machines
        )

    def configured(self) -> Mask:
        """Mark the machines that are configured and not yet drained by this cycle."""
        return self.inventory.has_state(State.CONFIGURED) & ~self.draining

    def movable(self) -> Mask:
        """Mark the configured machines that may be drained for another need.

        Not those of clusters that are silent, foreign or in shadow mode, and not the pinned.
        """
        inventory, cluster = self.inventory, self.inventory.machines.cluster
        active = inventory.mine[cluster] & ~inventory.shadow[cluster]
        mask: Mask = self.configured() & active & ~inventory.machines.pinned
        return mask

    def _row(self, machine: np.integer | int) -> int:
        return int(self.inventory.rows[machine])
