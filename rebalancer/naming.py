"""From counts to names: which machines move, in which unit and window, with reasons for people.

Machines of a group are taken lowest id first, for the most important receiver first, so equal
counts always give equal names. A gang is one unit; of other needs every move is a unit of its own,
so that one stale move holds up no other. A gang that moves is in the unit of whom it makes room.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from models.plan import Move, MoveKind
from rebalancer.draft import Draft
from rebalancer.flows.shares import dealt
from rebalancer.snapshot import Snapshot, SupplyKind
from rebalancer.windows import Windows, allowances
from rebalancer.wording import preconditions, reason

FREE_KINDS = {
    SupplyKind.IDLE: MoveKind.TRANSFER_IDLE,
    SupplyKind.SPECULATIVE: MoveKind.TRANSFER_SPECULATIVE,
}
"""Inside a shard they say: kept for the need until the plan expires."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Machines of one lane that go in one window; ``unit`` numbers the units of the plan.

    ``last`` is the window until which they are bespoken. Machines that are ``vacated`` are given up
    by a gang that moves.
    """

    unit: int
    window: int
    last: int
    group: int
    demand: int
    machines: tuple[int, ...]
    vacated: bool


def moves_of(draft: Draft, counts: Ints) -> tuple[Move, ...]:
    """Give the moves that counts of machines per lane, ``(X,)``, stand for."""
    return tuple(
        _move(draft.snapshot, part, number)
        for number, part in enumerate(_parts(draft, counts), start=1)
    )


def _parts(draft: Draft, counts: Ints) -> Iterator[_Part]:
    snapshot = draft.snapshot
    windows = [Windows(int(allowed)) for allowed in allowances(snapshot)]
    next_row = [0] * len(snapshot.supply)
    unit = 0
    used = np.flatnonzero(counts)
    movers, victims = _movers(draft, used), draft.victims()
    for demand in np.unique(draft.lanes.demand[used]).tolist():
        if snapshot.demand.migrates[demand]:
            continue
        is_gang = snapshot.fleet.needs[snapshot.demand.need[demand]].is_gang
        lanes = used[draft.lanes.demand[used] == demand]
        unit += 1 if is_gang else 0
        parts = [(demand, *part) for part in _windowed(draft, lanes, counts, windows)]
        end = max(window for _, _, window, _ in parts)
        # Those who make room are on their new machines before the old ones are drained.
        leaving = set(victims[lanes].tolist()) & movers.keys()
        moving = [part for need in sorted(leaving) for part in _moving(draft, movers[need], counts)]
        for receiver, group, window, machines in [*moving, *parts]:
            unit += 0 if is_gang else 1
            start = next_row[group]
            next_row[group] = start + machines
            rows = snapshot.supply.machines[group][start : start + machines]
            # What has come is reserved until the whole gang can have.
            last = end if is_gang else window
            vacated = int(snapshot.supply.victim[group]) in movers
            machines_taken = tuple(sorted(rows.tolist()))
            yield _Part(unit, window, last, group, receiver, machines_taken, vacated)


def _movers(draft: Draft, used: Ints) -> dict[int, Ints]:
    """Give for each gang that moves, by its need, the lanes to its new place."""
    demand = draft.snapshot.demand
    moving = used[demand.migrates[draft.lanes.demand[used]]]
    need = demand.need[draft.lanes.demand[moving]]
    return {row: moving[need == row] for row in np.unique(need).tolist()}


def _moving(draft: Draft, lanes: Ints, counts: Ints) -> Iterator[tuple[int, int, int, int]]:
    """Give (demand, group, window, machines) of the new machines of a gang that moves."""
    for lane in lanes.tolist():
        yield int(draft.lanes.demand[lane]), int(draft.lanes.group[lane]), 0, int(counts[lane])


def _windowed(
    draft: Draft, lanes: Ints, counts: Ints, windows: list[Windows]
) -> list[tuple[int, int, int]]:
    """Give (group, window, machines) for the lanes of one demand, what drains nothing first."""
    supply = draft.snapshot.supply
    groups = draft.lanes.group[lanes]
    parts = [
        (group, 0, int(counts[lane]))
        for lane, group in zip(lanes.tolist(), groups.tolist(), strict=True)
        if not supply.drains[group]
    ]
    draining = supply.drains[groups]
    for donor in np.unique(supply.shard[groups[draining]]).tolist():
        of_donor = lanes[draining & (supply.shard[groups] == donor)]
        total = int(counts[of_donor].sum())
        need = draft.snapshot.demand.need[draft.lanes.demand[of_donor[0]]]
        is_gang = draft.snapshot.fleet.needs[need].is_gang
        slots = windows[donor].together(total) if is_gang else windows[donor].spread(total)
        pairs = [(int(draft.lanes.group[lane]), int(counts[lane])) for lane in of_donor]
        parts.extend(dealt(pairs, slots))
    return parts


def _move(snapshot: Snapshot, part: _Part, number: int) -> Move:
    supply, demand = snapshot.supply, snapshot.demand
    source, target = int(supply.shard[part.group]), int(demand.shard[part.demand])
    kind = MoveKind.DRAIN if source == target else MoveKind.DRAIN_AND_TRANSFER
    kind = FREE_KINDS.get(SupplyKind(int(supply.kind[part.group])), kind)
    kind = MoveKind.REPLACE if demand.migrates[part.demand] else kind
    return Move(
        id=f"m{number}",
        unit=f"u{part.unit}",
        window=part.window,
        kind=kind,
        machine_class=int(supply.machine_class[part.group]),
        machines=part.machines,
        source=source,
        target=target,
        need=int(demand.need[part.demand]),
        victim=int(supply.victim[part.group]),
        reason=reason(snapshot, part.group, part.demand, len(part.machines), part.vacated),
        preconditions=preconditions(snapshot, part.group, part.demand, part.vacated),
        expires_seconds=(part.last + 1) * snapshot.rules.window_seconds,
    )
