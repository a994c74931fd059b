"""From swaps to moves: the new machines first, then the old ones are drained, window by window.

A swap of a gang is one unit. Of other needs each part that goes in one window is a unit of its own,
so that one stale move holds up no other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from models.fleet import Ints
from models.plan import DRAINS, Move, MoveKind, Plan
from rebalancer.flows.shares import dealt
from rebalancer.problems.replace.market import Market
from rebalancer.problems.replace.pairs import Swap
from rebalancer.problems.replace.rungs import SECONDS_PER_HOUR
from rebalancer.snapshot import Snapshot, SupplyKind
from rebalancer.windows import Windows, allowances
from rebalancer.wording import replaced, replacing

Unit = list[Move]


def moves_of(
    snapshot: Snapshot, market: Market, plan: Plan, swaps: Iterable[Swap]
) -> tuple[Move, ...]:
    """Give the moves that come after those of the plan, lowest ids first.

    The drains of the plan have their windows already: these get what is left of the blast radius.
    """
    naming = _Naming(snapshot, market, _windows(snapshot, plan))
    known = len({move.unit for move in plan.moves})
    units = [unit for swap in swaps for unit in naming.units(swap)]
    named = [(move, number) for number, unit in enumerate(units, known + 1) for move in unit]
    return tuple(
        replace(move, id=f"m{number}", unit=f"u{unit}")
        for number, (move, unit) in enumerate(named, len(plan.moves) + 1)
    )


def _windows(snapshot: Snapshot, plan: Plan) -> list[Windows]:
    """Give what the plan has taken of the windows of each shard."""
    taken: list[Counter[int]] = [Counter() for _ in snapshot.fleet.shards]
    for move in plan.moves:
        if move.kind in DRAINS:
            taken[move.source][move.window] += len(move.machines)
    return [
        Windows(allowed, [counts[window] for window in range(max(counts, default=-1) + 1)])
        for allowed, counts in zip(allowances(snapshot).tolist(), taken, strict=True)
    ]


class _Naming:
    """Hands out rows of groups, the lowest first, and windows of shards."""

    def __init__(self, snapshot: Snapshot, market: Market, windows: list[Windows]) -> None:
        self._snapshot, self._market, self._windows = snapshot, market, windows
        self._next_fresh = [0] * len(market.fresh)
        self._next_running = [0] * len(market.running)

    def units(self, swap: Swap) -> Iterator[Unit]:
        """Give the moves of a swap, unit by unit; ids are still to come."""
        windows = self._windows[self._snapshot.fleet.shard_of_need(swap.need)]
        if self._snapshot.fleet.needs[swap.need].is_gang:
            slots = windows.together(swap.machines)
            yield self._unit(swap, swap.fresh, [*dealt(list(swap.running), slots)])
            return
        (fresh, _), (group, _) = swap.fresh[0], swap.running[0]
        for window, machines in windows.spread(swap.machines):
            yield self._unit(swap, [(fresh, machines)], [(group, window, machines)])

    def _unit(
        self, swap: Swap, fresh: Sequence[tuple[int, int]], leaving: list[tuple[int, int, int]]
    ) -> Unit:
        share = sum(machines for _, _, machines in leaving) / swap.machines
        windows = [window for _, window, _ in leaving]
        coming: dict[tuple[int, bool], list[int]] = {}
        for group, machines in fresh:
            kind = (
                int(self._market.fresh.machine_class[group]),
                bool(self._market.fresh.is_new[group]),
            )
            coming.setdefault(kind, []).extend(self._fresh_rows(group, machines))
        going: dict[tuple[int, int], list[int]] = {}
        for group, window, machines in leaving:
            place = (window, int(self._market.running.machine_class[group]))
            going.setdefault(place, []).extend(self._running_rows(group, machines))
        new = [
            self._replace(swap.need, machine_class, is_new, rows, windows)
            for (machine_class, is_new), rows in sorted(coming.items())
        ]
        old = [
            self._drain(swap, machine_class, window, rows, max(windows), share)
            for (window, machine_class), rows in sorted(going.items())
        ]
        return [*new, *old]

    def _fresh_rows(self, group: int, machines: int) -> list[int]:
        start = self._next_fresh[group]
        self._next_fresh[group] += machines
        return _listed(self._market.fresh.machines[group][start : start + machines])

    def _running_rows(self, group: int, machines: int) -> list[int]:
        start = self._next_running[group]
        self._next_running[group] += machines
        return _listed(self._market.running.machines[group][start : start + machines])

    def _replace(
        self, need: int, machine_class: int, is_new: bool, rows: list[int], windows: list[int]
    ) -> Move:
        kind = SupplyKind.SPECULATIVE if is_new else SupplyKind.IDLE
        fleet = self._snapshot.fleet
        said = replacing(fleet, fleet.shard_of_need(need), need, len(rows), kind)
        move = self._move(MoveKind.REPLACE, machine_class, rows, need, max(windows), said)
        # Before the first drain is due nobody has to pay for it.
        return replace(move, window=min(windows))

    def _drain(
        self, swap: Swap, machine_class: int, window: int, rows: list[int], last: int, share: float
    ) -> Move:
        fleet, need = self._snapshot.fleet, swap.need
        hours = self._market.rungs.horizon_seconds / SECONDS_PER_HOUR
        saving = f"the unit saves {swap.saves_usd * share:,.2f} USD in {hours:g} h"
        said = replaced(fleet, fleet.shard_of_need(need), need, len(rows), saving)
        move = self._move(MoveKind.DRAIN, machine_class, rows, need, last, said)
        return replace(move, window=window, victim=need)

    def _move(
        self,
        kind: MoveKind,
        machine_class: int,
        rows: list[int],
        need: int,
        last: int,
        said: tuple[str, tuple[str, ...]],
    ) -> Move:
        """Give a move of window 0 and without a victim; ids are still to come."""
        home = self._snapshot.fleet.shard_of_need(need)
        reason, preconditions = said
        return Move(
            id="",
            unit="",
            window=0,
            kind=kind,
            machine_class=machine_class,
            machines=tuple(sorted(rows)),
            source=home,
            target=home,
            need=need,
            victim=-1,
            reason=reason,
            preconditions=preconditions,
            # What has come is reserved until the last of the unit is drained.
            expires_seconds=(last + 1) * self._snapshot.rules.window_seconds,
        )


def _listed(rows: Ints) -> list[int]:
    return [*map(int, rows)]
