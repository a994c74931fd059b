"""A shard in the compiled kernel: it stays there from cycle to cycle and takes in what changes."""

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hotpath.backoff import SINGLE, Scope, SharedScopes, open_scopes
from hotpath.inventory import Inventory
from hotpath.kernel import tables
from hotpath.kernel.asking import Asking
from hotpath.kernel.binding import BEYOND, ORDER, SHORT, WATCH, Compiled
from hotpath.kernel.names import Names, names_of
from hotpath.kernel.orders import Orders
from hotpath.kernel.places import NONE_GIVEN, places_of
from hotpath.matching import Matching
from hotpath.memory import DrainWatch, Memory, Pause, Rate, need_key
from hotpath.plain.ledger import Ledger
from hotpath.plain.opening import call_roll
from hotpath.plain.release import decayed
from hotpath.reports import Reports, reports_of
from models.fleet import Codes, Ints, Mask
from models.need import Need
from models.settings import Settings


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of the machines' columns, of all that is counted besides, and of room to work in."""

    columns: int
    indices: int
    work: int


class Live:
    """One shard, made from an inventory, its memory and settings.

    Numbers of machines are places in that inventory, those of needs are rows of its fleet. A cycle
    is either ``cycle``, or ``open``, ``serve``, what is to be read meanwhile, and ``give_back``.
    What changes may be written between cycles only; it ends the cycle before, whose books are then
    gone, but not its memory.

    Raises
    ------
    ValueError
        When a table is refused; the text names it and the row.
    MemoryError
        When there is none left. The shard is of no use any more then.
    """

    def __init__(
        self,
        inventory: Inventory,
        memory: Memory,
        settings: Settings,
        library: ctypes.CDLL,
        *,
        is_empty: bool = False,
    ) -> None:
        """Make a shard; ``is_empty``: its machines come later, by ``enter``."""
        machines = inventory.machines
        nobody = inventory.fleet.machines.take(np.zeros(0, dtype=np.int64))
        self._fleet = fleet = replace(inventory.fleet, machines=nobody)
        self._needs, self._settings = inventory.needs, settings
        self._shard = shard = Compiled(library)
        places = places_of(fleet, settings)
        shard.call("places", *tables.places_columns(fleet, places))
        shard.call("clusters", *tables.clusters_columns(inventory))
        shard.call("settings", *tables.settings_columns(settings))
        own = frozenset(inventory.needs.tolist())
        self._asking = Asking(shard, fleet, own, places, settings)
        self._asking.enter(memory.arrivals(fleet))
        self._now = memory.last_cycle
        self._pauses = dict(memory.pauses)
        self._open: frozenset[Scope] = frozenset()
        self._scopes: SharedScopes | None = None
        self._rates = dict(memory.rates)
        self._class_keys: list[str] = []
        if not is_empty:
            names, ranks = names_of(machines, len(fleet.classes)), machines.id_rank.astype(np.int32)
            self.enter(names, machines.cell, ranks, reports_of(machines, settings), memory)

    def enter(
        self, names: Names, cell: Codes, id_rank: Codes, reports: Reports, memory: Memory
    ) -> None:
        """Take in all machines, which are sorted by class and id, and what is remembered of them.

        Once; ``cell`` and ``id_rank`` as in ``Machines``, but for the type of the latter.

        Raises
        ------
        ValueError
            When columns differ in length, or what they say is refused.
        """
        machines = len(names.ids)
        if not machines == len(cell) == len(id_rank):
            raise ValueError(f"{len(cell)} cells, {len(id_rank)} ranks and {machines} names.")
        self._shard.call("machines", machines, cell, id_rank, *tables.reported(reports, machines))
        self._names = names
        self._shard.call("remember", *tables.memory_columns(self._fleet, names, memory))

    def cycle(self, now: float) -> Orders:
        """Decide everything that the shard does now."""
        self.open(now)
        self.serve()
        self.give_back()
        return self.answer()

    def open(self, now: float) -> None:
        """Open the books."""
        self._leave_alone(now)
        self._shard.call("open", now)
        self._now = now

    def serve(self) -> None:
        """Walk the needs through phases 1 and 2, and say what stays short."""
        self._shard.call("serve")

    def give_back(self, taken: Mask | None = None) -> None:
        """Give back what is beyond every count, delete what idles for too long.

        ``taken``, shape ``(m,)``, marks what a plan moves elsewhere: hands off.
        """
        mask = NONE_GIVEN if taken is None else taken.view(np.uint8)
        self._shard.call("hands_off", len(mask), mask)
        self._shard.call("give_back")
        release, now = self._settings.release, self._time()
        self._rates = {
            key: Rate(decayed(rate, release, now), now) for key, rate in self._rates.items()
        }

    def answer(self) -> Orders:
        """Give the orders and shortfalls so far."""
        orders, reported, stop, shorts, *_ = self._shard.lengths()
        table, short = np.empty(orders, dtype=ORDER), np.empty(shorts, dtype=SHORT)
        self._shard.call("answer", ORDER.itemsize, orders, table, SHORT.itemsize, shorts, short)
        return Orders(table, slice(reported, stop), short, dict(self._asking.clamped))

    def serving(self) -> Codes:
        """Give the need each machine serves, is reserved for or drains for, ``(m,)``; -1."""
        serves = np.empty(len(self._names.ids), dtype=np.int32)
        self._shard.call("serving", len(serves), serves)
        return serves

    def books(self, inventory: Inventory) -> Ledger:
        """Give the books as they stand; ``inventory`` is what the shard's machines are now.

        The stock is empty: nobody decides on these books.
        """
        fleet, machines = inventory.fleet, len(inventory)
        serves, names = (np.empty(machines, dtype=np.int32) for _ in range(2))
        marks = [np.empty(machines, dtype=np.bool_) for _ in range(6)]
        counts = [np.empty(len(fleet.needs), dtype=np.int64) for _ in range(4)]
        given = np.empty(len(fleet.clusters), dtype=np.int64)
        self._shard.call(
            "books", machines, serves, names, *(mark.view(np.uint8) for mark in marks),
            len(fleet.needs), *counts, len(given), given,
        )  # fmt: skip
        held, idle, speculative, excess, stood, draining = marks
        have, waiting, created, lost = counts
        ledger = Ledger(
            inventory=inventory,
            matching=Matching(fleet, tuple(self._settings.assign.bootstrap_keys)),
            settings=self._settings,
            now=self._time(),
            serves=serves,
            held=held,
            idle=idle,
            speculative=speculative,
            excess=excess,
            stood=stood,
            names=names,
            draining=draining,
            have=have,
            waiting=waiting,
            created=created,
            lost=lost,
            given=given,
            actions=list(self.answer().actions(fleet, inventory.rows)),
        )
        call_roll(ledger)
        return ledger

    def change(self, places: Ints, reports: Reports) -> None:
        """Take in how machines are now, a row for each of ``places``; classes, cells, ids stay."""
        columns = tables.reported(reports, len(places))
        self._shard.call("change", len(places), tables.places_given(places), *columns)

    def ask(self, asked: Mapping[int, Need]) -> None:
        """Take in what a roll-up says of needs, each under its number.

        Raises
        ------
        ValueError
            When one is another need than it was, or names a label that the fleet's columns lack:
            then the shard must be made anew, from a fleet with that need.
        """
        self._asking.ask(asked)

    def count(self, counts: Mapping[int, int]) -> None:
        """Take in new counts of needs, each under its number; nothing else of them changes."""
        self._asking.count(counts)

    def pause(self, pauses: Mapping[Scope, Pause]) -> None:
        """Take in what failed lately and is left alone: instead of what was known of it."""
        self._pauses = dict(pauses)

    def size(self) -> Size:
        """Say how much memory the shard takes; the machines' ids are not in it."""
        return Size(*self._shard.size())

    def memory(self) -> Memory:
        """Give what must outlive this process."""
        fleet, name = self._fleet, self._names.name
        *_, beyonds, watched, begun = self._shard.lengths()
        arrival = np.empty(len(fleet.needs), dtype=np.float64)
        short = np.empty(len(fleet.needs), dtype=np.int32)
        rate, rate_at = (np.empty(len(fleet.classes), dtype=np.float64) for _ in range(2))
        excess = np.empty(beyonds, dtype=BEYOND)
        watches, fresh = np.empty(watched, dtype=WATCH), np.empty(begun, dtype=WATCH)
        self._shard.call(
            "recall", arrival, short, rate, rate_at, beyonds, excess, watched, watches, begun,
            fresh,
        )  # fmt: skip
        keys = [need_key(need) for need in fleet.needs]
        arrived = arrival.tolist()
        excess = excess[~np.isnan(excess["begun"])]
        watches = np.concatenate((fresh, watches[watches["cycles"] > 0]))
        return Memory(
            last_cycle=self._now,
            arrived={keys[n]: arrived[n] for n in self._needs.tolist() if arrived[n] < np.inf},
            short_cycles={keys[n]: int(short[n]) for n in np.flatnonzero(short).tolist()},
            excess_since={name(slot): begun for slot, begun in excess.tolist()},
            pauses=self._remembered_pauses(),
            rates=self._known_rates(rate.tolist(), rate_at.tolist()),
            drains={
                name(slot): DrainWatch(cycles, grace) for slot, cycles, grace in watches.tolist()
            },
        )

    def _known_rates(self, rate: Sequence[float], rate_at: Sequence[float]) -> dict[str, Rate]:
        fleet = self._fleet
        rates = dict(self._rates)
        if (any(rate) or rates) and not self._class_keys:
            self._class_keys = [fleet.class_key(k) for k in range(len(fleet.classes))]
        for key, per_minute, at in zip(self._class_keys, rate, rate_at, strict=False):
            if per_minute or key in rates:
                rates[key] = Rate(per_minute, at)
        return rates

    def _remembered_pauses(self) -> dict[Scope, Pause]:
        # Over, but remembered for a while: a failure soon after doubles the pause.
        longest = self._settings.backoff.max
        return {
            scope: pause
            for scope, pause in self._pauses.items()
            if self._now is None or self._now <= pause.until + longest
        }

    def _leave_alone(self, now: float) -> None:
        """Tell the shard which machines back-off keeps, where that is not as it was."""
        scopes = open_scopes(self._pauses, now)
        if scopes == self._open:
            return
        self._scopes = self._scopes or SharedScopes(self._fleet)
        single = self._names.places(scope[1] for scope in scopes if scope[0] in SINGLE)
        places = np.unique(single[single >= 0])
        kinds = self._scopes.kind_of_cells(scopes)
        self._shard.call("pause", len(kinds), kinds, len(places), places)
        self._open = scopes

    def _time(self) -> float:
        if self._now is None:
            raise ValueError("no cycle has been opened yet.")
        return self._now
