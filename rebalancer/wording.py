"""What a move says to people: why it is made, and what must still hold when it is applied."""

from rebalancer.snapshot import Snapshot, SupplyKind


def reason(snapshot: Snapshot, group: int, demand: int, machines: int) -> str:
    """Give one sentence: what goes where, for whom, and at whose cost."""
    fleet, supply = snapshot.fleet, snapshot.supply
    need = fleet.needs[snapshot.demand.need[demand]]
    receiver = fleet.shards[snapshot.demand.shard[demand]].name
    donor = fleet.shards[supply.shard[group]].name
    what = f"{machines} {_adjective(supply.kind[group])} {_noun(machines)} of {donor}"
    end = f"{what} can serve {need.name} (priority {need.priority}), short in {receiver}"
    victim = int(supply.victim[group])
    if victim < 0:
        return f"{end}."
    loser = fleet.needs[victim]
    return f"{end}; {loser.name} (priority {loser.priority}) gives way."


def preconditions(snapshot: Snapshot, group: int, demand: int) -> tuple[str, ...]:
    """Give what must still hold when the unit is applied, a sentence each."""
    fleet, supply = snapshot.fleet, snapshot.supply
    need = fleet.needs[snapshot.demand.need[demand]]
    donor = fleet.shards[supply.shard[group]].name
    receiver = fleet.shards[snapshot.demand.shard[demand]].name
    always = (
        f"{donor} still owns the machines.",
        _state(snapshot, group, demand),
        f"{need.name} is still short in {receiver} by at least the machines of the unit.",
    )
    if _stays(snapshot, group, demand):
        return always
    return (
        *always,
        f"{donor} lacks none of them for a need of priority {need.priority} or more.",
    )


def _state(snapshot: Snapshot, group: int, demand: int) -> str:
    kind = SupplyKind(int(snapshot.supply.kind[group]))
    match kind:
        case SupplyKind.IDLE:
            return "They are still idle and reserved for nobody."
        case SupplyKind.SPECULATIVE:
            return "They are still speculative, ordered by nobody, and their price is known."
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
