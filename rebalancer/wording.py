"""What a move says to people: why it is made, and what must still hold when it is applied."""

from models.fleet import Fleet
from rebalancer.snapshot import Snapshot, SupplyKind


def reason(snapshot: Snapshot, group: int, demand: int, machines: int, vacated: bool) -> str:
    """Give one sentence: what goes where, for whom, and at whose cost.

    Machines that are ``vacated`` are given up by a gang that moves.
    """
    fleet, supply = snapshot.fleet, snapshot.supply
    need = fleet.needs[snapshot.demand.need[demand]]
    receiver = fleet.shards[snapshot.demand.shard[demand]].name
    donor = fleet.shards[supply.shard[group]].name
    what = f"{machines} {_adjective(supply.kind[group])} {_noun(machines)} of {donor}"
    named = f"{need.name} (priority {need.priority})"
    if snapshot.demand.migrates[demand]:
        return f"{what} can take over {named}, which makes room for a gang that is short."
    end = f"{what} can serve {named}, short in {receiver}"
    victim = int(supply.victim[group])
    if victim < 0:
        return f"{end}."
    loser = fleet.needs[victim]
    way = "moves" if vacated else "gives way"
    return f"{end}; {loser.name} (priority {loser.priority}) {way}."


def preconditions(snapshot: Snapshot, group: int, demand: int, vacated: bool) -> tuple[str, ...]:
    """Give what must still hold when the unit is applied, a sentence each."""
    fleet, supply = snapshot.fleet, snapshot.supply
    need = fleet.needs[snapshot.demand.need[demand]]
    donor = fleet.shards[supply.shard[group]].name
    receiver = fleet.shards[snapshot.demand.shard[demand]].name
    owned = f"{donor} still owns the machines."
    if snapshot.demand.migrates[demand]:
        whole = f"{need.name} still runs whole on the machines that it gives up."
        return owned, _state(snapshot, group, demand), whole
    if vacated:
        loser = fleet.needs[supply.victim[group]].name
        state = f"{loser} runs whole on its new machines, and these are not pinned."
    else:
        state = _state(snapshot, group, demand)
    short = (
        f"{need.name} is still short in {receiver} by at least what of the unit is still to come."
    )
    always = (owned, state, short)
    if _stays(snapshot, group, demand):
        return always
    return (
        *always,
        f"{donor} lacks none of them for a need of priority {need.priority} or more.",
    )


def replacing(
    fleet: Fleet, shard: int, need: int, machines: int, kind: SupplyKind
) -> tuple[str, tuple[str, ...]]:
    """Give reason and preconditions of machines that take the place of dearer ones."""
    row, owner = fleet.needs[need], fleet.shards[shard].name
    what = f"{machines} {_adjective(kind)} {_noun(machines)} of {owner}"
    reason = f"{what} can take over {row.name} (priority {row.priority}) from as many dearer ones."
    whole = f"{row.name} lacks nothing, and runs on the machines that it gives up."
    return reason, (f"{owner} still owns the machines.", FREE_STATE[kind], whole)


def replaced(
    fleet: Fleet, shard: int, need: int, machines: int, saving: str
) -> tuple[str, tuple[str, ...]]:
    """Give reason and preconditions of machines that were replaced; ``saving`` of the unit."""
    row, owner = fleet.needs[need], fleet.shards[shard].name
    what = f"{machines} running {_noun(machines)} of {owner}"
    reason = f"{what} cost {row.name} (priority {row.priority}) more than the new ones: {saving}."
    ready = f"{row.name} runs on all new machines of the unit, and these are not pinned."
    return reason, (f"{owner} still owns the machines.", ready)


FREE_STATE = {
    SupplyKind.IDLE: "They are still idle and reserved for nobody.",
    SupplyKind.SPECULATIVE: (
        "They are still speculative, ordered by nobody, and their price is known."
    ),
}


def _state(snapshot: Snapshot, group: int, demand: int) -> str:
    kind = SupplyKind(int(snapshot.supply.kind[group]))
    match kind:
        case SupplyKind.IDLE | SupplyKind.SPECULATIVE:
            return FREE_STATE[kind]
        case SupplyKind.EXCESS:
            return "They still serve nobody and are not pinned."
    loser = snapshot.fleet.needs[snapshot.supply.victim[group]]
    gap = 1 if _stays(snapshot, group, demand) else max(snapshot.rules.min_gap, 1)
    most = int(snapshot.demand.priority[demand]) - gap
    return f"They still serve {loser.name} at priority {most} or less and are not pinned."


def _stays(snapshot: Snapshot, group: int, demand: int) -> bool:
    return bool(snapshot.supply.shard[group] == snapshot.demand.shard[demand])


def _adjective(kind: int) -> str:
    return SupplyKind(int(kind)).name.lower()


def _noun(machines: int) -> str:
    return "machine" if machines == 1 else "machines"
