"""Open the books of a cycle: what each cluster holds, what each need has, what is free."""

import numpy as np

from hotpath.inventory import Inventory, cluster_of_need
from hotpath.matching import Matching
from hotpath.memory import Memory
from hotpath.plain.holding import deal
from hotpath.plain.ledger import Ledger
from hotpath.plain.reclaim import mark_stood
from hotpath.plain.roll import roll_of
from hotpath.plain.stock import DECADES, LAPSING, RESERVED, UNCLAIMED, Shelf, Stock
from models.fleet import Codes, Ints, Mask, Reals
from models.machine import NOBODY, UNKNOWN_NEED, State
from models.settings import Settings


def open_ledger(
    inventory: Inventory, settings: Settings, memory: Memory, left_alone: Mask, now: float
) -> Ledger:
    """Give the books as they stand before the first order.

    ``left_alone`` marks the speculative machines, shape ``(m,)``, that back-off passes over.
    """
    ledger = _blank(inventory, settings, left_alone, now)
    holder = _holders(inventory)
    # Counted once, for dealing one cluster's machines may free some before the next one's turn.
    free = (ledger.idle & (ledger.serves == NOBODY)) | ledger.speculative
    cells = len(inventory.fleet.cells)
    free_per_cell = np.bincount(inventory.machines.cell[free], minlength=cells)
    arrival = memory.arrivals(inventory.fleet)
    for cluster in np.flatnonzero(inventory.mine):
        mine = np.flatnonzero(holder == cluster)
        _attribute(ledger, int(cluster), mine, arrival, free_per_cell)
    _settle_foreign(ledger, holder)
    _settle_draining(ledger)
    mark_stood(ledger, memory)
    ledger.stock = Stock.of(_shelf(ledger), cells)
    call_roll(ledger)
    return ledger


def call_roll(ledger: Ledger) -> None:
    """Index who has what, and what is beyond every count, as the books stand."""
    inventory = ledger.inventory
    beyond = np.flatnonzero(ledger.excess & ledger.configured())
    owner = inventory.machines.cluster[beyond]
    ledger.beyond = {int(at): beyond[owner == at] for at in np.unique(owner)}
    counted = ledger.held | ledger.draining
    ledger.roll = roll_of(ledger.serves, counted, len(inventory.fleet.needs))


def _shelf(ledger: Ledger) -> Shelf:
    """Lay out the free machines with what orders them and who has a claim on them."""
    columns = ledger.inventory.machines
    rows = np.flatnonzero(ledger.idle | ledger.speculative)
    speculative, cell = ledger.speculative[rows], columns.cell[rows]
    late = columns.ready_seconds[rows] > ledger.settings.assign.max_wait
    decade = np.searchsorted(DECADES, columns.reclamation_penalty[rows])
    lapsing = ledger.excess[rows] & ~ledger.stood[rows] & (ledger.names[rows] != NOBODY)
    return Shelf(
        machines=rows,
        cell=cell,
        class_index=columns.class_index[rows],
        zone=ledger.matching.zones[cell],
        code=np.where(speculative, late, decade),
        is_speculative=speculative,
        claim=np.where(
            ledger.serves[rows] != NOBODY, RESERVED, np.where(lapsing, LAPSING, UNCLAIMED)
        ),
    )


def _blank(inventory: Inventory, settings: Settings, left_alone: Mask, now: float) -> Ledger:
    """Give books in which nobody has anything yet."""
    fleet, columns = inventory.fleet, inventory.machines
    needs = len(fleet.needs)
    return Ledger(
        inventory=inventory,
        matching=Matching(fleet, tuple(settings.assign.bootstrap_keys)),
        settings=settings,
        now=now,
        serves=columns.serves.copy(),
        held=np.zeros(len(inventory), dtype=np.bool_),
        idle=inventory.has_state(State.IDLE),
        speculative=inventory.has_state(State.SPECULATIVE)
        & (columns.serves == NOBODY)
        & ~np.isnan(inventory.price_per_hour)
        & ~left_alone,
        excess=np.zeros(len(inventory), dtype=np.bool_),
        stood=np.zeros(len(inventory), dtype=np.bool_),
        names=np.full(len(inventory), NOBODY, dtype=np.int32),
        draining=inventory.has_state(State.DRAINING),
        have=np.zeros(needs, dtype=np.int64),
        waiting=np.zeros(needs, dtype=np.int64),
        created=np.zeros(needs, dtype=np.int64),
        lost=np.zeros(needs, dtype=np.int64),
        given=np.zeros(len(fleet.clusters), dtype=np.int64),
    )


def _holders(inventory: Inventory) -> Codes:
    """Give the cluster that holds each machine: configured or reserved for it; -1."""
    columns = inventory.machines
    holder = np.full(len(inventory), NOBODY, dtype=np.int32)
    for state in (State.CONFIGURED, State.CONFIGURING):
        there = inventory.has_state(state)
        holder[there] = columns.cluster[there]
    for state in (State.CREATING, State.IDLE):
        there = inventory.has_state(state)
        holder[there] = cluster_of_need(inventory.fleet, columns.serves[there])
    return holder


def _attribute(
    ledger: Ledger, cluster: int, machines: Ints, arrival: Reals, free_per_cell: Ints
) -> None:
    """Deal one cluster's machines; what a cluster in shadow mode runs is never excess."""
    fleet = ledger.inventory.fleet
    needs = sorted(
        np.flatnonzero(fleet.need_cluster == cluster).tolist(),
        key=lambda n: (
            -fleet.needs[n].priority,
            int(free_per_cell[ledger.matching.eligible(fleet.needs[n])].sum()),
            float(arrival[n]),
            fleet.needs[n].name,
        ),
    )
    deal(ledger, needs, machines)
    if ledger.inventory.shadow[cluster]:
        # What is idle and reserved is still given back by the clock alone, as everybody's is.
        ledger.excess[machines] &= ledger.idle[machines]


def _settle_foreign(ledger: Ledger, holder: Codes) -> None:
    """Leave alone what is held or reserved for clusters that are silent or not of this shard."""
    mine, columns = ledger.inventory.mine, ledger.inventory.machines
    foreign = (holder >= 0) & ~mine[holder]
    its_own = cluster_of_need(ledger.inventory.fleet, columns.serves) == holder
    kept = np.flatnonzero(foreign & its_own & (columns.serves >= 0))
    ledger.held[kept] = True
    np.add.at(ledger.have, columns.serves[kept], 1)
    ledger.idle &= ~foreign & (ledger.serves != UNKNOWN_NEED)


def _settle_draining(ledger: Ledger) -> None:
    """Let machines that drain for a need be waited for, as far as the need still wants them.

    The others drain for nobody. What drains for a silent or foreign cluster stays as it is.
    """
    columns = ledger.inventory.machines
    for machine in np.flatnonzero(ledger.draining)[
        np.argsort(columns.id_rank[ledger.draining], kind="stable")
    ].tolist():
        need = int(ledger.serves[machine])
        if need == NOBODY:
            continue
        if (
            need == UNKNOWN_NEED
            or not ledger.inventory.mine[ledger.inventory.fleet.need_cluster[need]]
        ):
            ledger.draining[machine] = False
        elif ledger.missing(need) > 0 and ledger.can_serve(need, machine):
            ledger.waiting[need] += 1
        else:
            ledger.serves[machine] = NOBODY


def turns_of(inventory: Inventory, arrival: Reals) -> tuple[list[int], list[int]]:
    """Give the needs that may attract capacity in the order in which they are served.

    Priority, highest first, then arrival, then name. Those of active clusters come first, in a list
    of their own: needs of clusters in shadow mode take nothing from them.
    """
    needs = inventory.fleet.needs
    heard = inventory.needs[inventory.mine[inventory.fleet.need_cluster[inventory.needs]]]
    walk = sorted(
        heard.tolist(), key=lambda n: (-needs[n].priority, float(arrival[n]), needs[n].name)
    )
    shadow = inventory.shadow[inventory.fleet.need_cluster]
    return [n for n in walk if not shadow[n]], [n for n in walk if shadow[n]]
