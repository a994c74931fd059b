"""What a refusal is about, in words, and what would have to change for it to fall."""

from typing import assert_never

import numpy as np

from models.bootstrap import is_bootstrap_key
from models.machine import State
from models.quantity import format_quantity
from models.rules import Rule
from rebalancer.instead.refusal import Bar, Bars, OnMachines
from rebalancer.rules.keeps_own import could_use
from rebalancer.snapshot import Snapshot


def about(snapshot: Snapshot, demand: int, bar: Bars, machine: int | None) -> tuple[str, str]:
    """Give a sentence with the facts behind a refusal, and one that says what would change it.

    ``machine`` is a row that the bar refuses, None for what refuses several together.
    """
    need = snapshot.fleet.needs[int(snapshot.demand.need[demand])]
    match bar:
        case Rule.DOMAIN:
            short = int(snapshot.demand.short[demand])
            said = f"{need.name} lacks {short}, all of which one {need.same} of one shard must have"
            said += ", that of the machines it holds" if len(snapshot.held(demand)) else ""
            return f"{said}.", "More machines that it may have in that domain, or a smaller gang."
        case Rule.SPREAD:
            hard = [f"{s.key} by {s.max_skew}" for s in need.spread if s.is_hard]
            said = f"{need.name} may be uneven over {', '.join(hard)} at most."
            return said, "A larger maxSkew, or more of its machines where it has the fewest."
        case Rule.FLOOR:
            said = f"{need.floor} of the {need.count} machines of {need.name} must be safe."
            return said, f"A floor below {need.floor}, or machines that are never interrupted."
        case Bar.MAX_MOVES:
            most = snapshot.rules.max_moves
            return f"A plan may move {most} machines.", "A larger rebalance.max_moves."
        case Bar.MIGRATION:
            said = "They are a gang's that may move, which leaves them to one gang or to nobody."
            return said, "Nothing that one setting says."
        case _:
            return _of_machine(snapshot, demand, bar, machine)


def _of_machine(
    snapshot: Snapshot, demand: int, bar: OnMachines, machine: int | None
) -> tuple[str, str]:
    if machine is None:
        raise ValueError(f"{bar.name} refuses single machines, and none is named.")
    match bar:
        case Rule.UNTOUCHED:
            return _untouched(snapshot, machine)
        case Rule.AVAILABLE:
            return _available(snapshot, machine)
        case Rule.MATCHES:
            return _matches(snapshot, demand, machine)
        case Rule.FITS:
            return _fits(snapshot, demand, machine)
        case Rule.PRICE_KNOWN:
            name = _id(snapshot, machine)
            return f"{name} has to be bought at a price that is unknown.", "A price for its class."
        case Rule.PRIORITY:
            return _priority(snapshot, demand, machine)
        case Rule.KEEPS_OWN:
            return _keeps_own(snapshot, demand, machine)
        case Bar.ROUTE:
            return _route(snapshot, demand, machine)
        case _:
            assert_never(bar)


def _route(snapshot: Snapshot, demand: int, machine: int) -> tuple[str, str]:
    name, need = _id(snapshot, machine), _need(snapshot, demand)
    owner = snapshot.fleet.shards[int(snapshot.demand.shard[demand])].name
    said = f"{name} is of {owner}, as {need} is, whose cycle decided on it before the plan."
    return said, f"Nothing in the plan; ask about machine/{name}."


def _untouched(snapshot: Snapshot, machine: int) -> tuple[str, str]:
    fleet, name = snapshot.fleet, _id(snapshot, machine)
    if fleet.machines.pinned[machine]:
        return f"{name} is pinned.", f"Take the pin off {name}."
    cluster = int(fleet.machines.cluster[machine])
    if fleet.silent[cluster]:
        said = f"{name} is of {fleet.clusters[cluster]}, which has not been heard of."
        return said, "A new roll-up of its cluster."
    said = f"{name} is of {fleet.clusters[cluster]}, which is in shadow mode."
    return said, f"Take {fleet.clusters[cluster]} out of shadow mode."


def _available(snapshot: Snapshot, machine: int) -> tuple[str, str]:
    machines, standing = snapshot.fleet.machines, snapshot.standing
    name, state = _id(snapshot, machine), State(int(machines.state[machine]))
    if not np.isnan(machines.reclaim_at[machine]):
        return f"{name} is about to be reclaimed.", "Nothing; it goes."
    serves = int(standing.serves[machine])
    if serves >= 0 and not standing.victim[machine]:
        need = snapshot.fleet.needs[serves].name
        return f"{name} is {state.name} and on its way to {need}.", f"{need} asks for fewer."
    if standing.free[machine] and state is State.SPECULATIVE:
        seconds, most = machines.ready_seconds[machine], snapshot.rules.max_wait_seconds
        said = f"{name} is ready {seconds:g} s after it is ordered, tier 1 waits for {most:g} s."
        return said, f"An assign.max_wait of {seconds:g} s."
    said = f"{name} is {state.name}, and its shard's cycle did not leave it free."
    return said, "Time, until it is idle or serves a need."


def _matches(snapshot: Snapshot, demand: int, machine: int) -> tuple[str, str]:
    fleet, name = snapshot.fleet, _id(snapshot, machine)
    cell = int(fleet.machines.cell[machine])
    missed = []
    for each in fleet.needs[int(snapshot.demand.need[demand])].requirements:
        if is_bootstrap_key(each.key, snapshot.rules.bootstrap_keys):
            continue
        value = fleet.cell_labels(each.key)[cell]
        if not each.matches(value):
            has = "no such label" if value is None else repr(value)
            missed.append(f"{each} (it has {has})")
    said = f"{_need(snapshot, demand)} asks for what {name} is not: {'; '.join(missed)}."
    return said, "Without that requirement the rule would let it be."


def _fits(snapshot: Snapshot, demand: int, machine: int) -> tuple[str, str]:
    fleet, need = snapshot.fleet, snapshot.fleet.needs[int(snapshot.demand.need[demand])]
    has = dict(
        zip(
            fleet.resources,
            fleet.classes[int(fleet.machines.class_index[machine])].resources,
            strict=True,
        )
    )
    small = [
        f"{format_quantity(amount, kind)} {kind} (it has {format_quantity(has.get(kind, 0), kind)})"
        for kind, amount in need.resources.items()
        if has.get(kind, 0) < amount
    ]
    said = f"{need.name} asks for more than {_id(snapshot, machine)} has: {', '.join(small)}."
    return said, "Asking for no more than that."


def _priority(snapshot: Snapshot, demand: int, machine: int) -> tuple[str, str]:
    fleet = snapshot.fleet
    loser = fleet.needs[int(snapshot.standing.serves[machine])]
    priority = int(snapshot.demand.priority[demand])
    stays = fleet.machines.shard[machine] == snapshot.demand.shard[demand]
    gap = 1 if stays else max(snapshot.rules.min_gap, 1)
    said = (
        f"{_id(snapshot, machine)} serves {loser.name} at priority {loser.priority}; "
        f"{_need(snapshot, demand)} has {priority}, and needs {gap} more than that."
    )
    remedy = f"A priority of {loser.priority + gap}"
    if not stays and 0 < priority - loser.priority < gap:
        remedy += f", or a rebalance.min_gap of {priority - loser.priority}"
    return said, f"{remedy}."


def _keeps_own(snapshot: Snapshot, demand: int, machine: int) -> tuple[str, str]:
    [group] = [at for at, rows in enumerate(snapshot.supply.machines) if machine in rows]
    # Demands come with the highest priority first.
    own = int(np.flatnonzero(could_use(snapshot)[group])[0])
    home = snapshot.fleet.shards[int(snapshot.supply.shard[group])].name
    lacking, priority = _need(snapshot, own), int(snapshot.demand.priority[own])
    said = (
        f"{_id(snapshot, machine)} is of {home}, whose {lacking} (priority {priority}) lacks "
        f"{int(snapshot.demand.short[own])} and could use it."
    )
    return said, f"A priority above {priority}, or {lacking} served by something else."


def _need(snapshot: Snapshot, demand: int) -> str:
    return snapshot.fleet.needs[int(snapshot.demand.need[demand])].name


def _id(snapshot: Snapshot, machine: int) -> str:
    return str(snapshot.fleet.machines.ids[machine])
