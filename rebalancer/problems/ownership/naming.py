"""From new owners of domains to moves: a domain is a unit, with reasons for people."""

from dataclasses import dataclass

import numpy as np

from models.distinct import alike
from models.fleet import Fleet, Ints, Mask
from models.machine import State
from models.plan import Move, MoveKind
from rebalancer.problems.ownership.domains import Domains

KINDS = {
    State.IDLE: MoveKind.TRANSFER_IDLE,
    State.SPECULATIVE: MoveKind.TRANSFER_SPECULATIVE,
}


@dataclass(frozen=True, eq=False, slots=True)
class Handover:
    """Who is to own what.

    Attributes
    ----------
    owner
        Shape ``(D,)``. The shard of each domain afterwards.
    before, after
        Shape ``(G, S)``. Domains that each shard holds of each group, now and then.
    """

    owner: Ints
    before: Ints
    after: Ints


def owner_of_machines(fleet: Fleet, domains: Domains, owner: Ints) -> Ints:
    """Give the owner of each machine, ``(M,)``, when domains have the given ones, ``(D,)``."""
    after = fleet.machines.shard.astype(np.int64)
    inside = (domains.of_machine >= 0) & ~domains.stays
    after[inside] = owner[domains.of_machine[inside]]
    return after


def moving(fleet: Fleet, domains: Domains, owner: Ints) -> Mask:
    """Mark the machines, ``(M,)``, that change hands."""
    return np.asarray(owner_of_machines(fleet, domains, owner) != fleet.machines.shard)


def moves_of(
    fleet: Fleet, domains: Domains, change: Handover, expires_seconds: float
) -> tuple[Move, ...]:
    """Give the moves in the order of the domains: the machines of one class, state and owner each.

    Machines ascend by id.
    """
    machines = fleet.machines
    rows = np.flatnonzero(moving(fleet, domains, change.owner))
    # Rows of one class ascend by id.
    parts = alike(
        [domains.of_machine[rows], machines.state[rows], machines.class_index[rows],
         machines.shard[rows]],
        len(rows),
    )  # fmt: skip
    moves: list[Move] = []
    unit, last = 0, -1
    for number, part in enumerate(parts, start=1):
        some = rows[part]
        first, domain = int(some[0]), int(domains.of_machine[some[0]])
        unit, last = unit + (domain != last), domain
        state, source = State(int(machines.state[first])), int(machines.shard[first])
        moves.append(
            Move(
                id=f"m{number}",
                unit=f"u{unit}",
                window=0,
                kind=KINDS[state],
                machine_class=int(machines.class_index[first]),
                machines=tuple(some.tolist()),
                source=source,
                target=int(change.owner[domain]),
                need=-1,
                victim=-1,
                reason=_reason(fleet, domains, change, domain, source),
                preconditions=_preconditions(fleet, domains, domain, source, state),
                expires_seconds=expires_seconds,
            )
        )
    return tuple(moves)


def _reason(fleet: Fleet, domains: Domains, change: Handover, domain: int, source: int) -> str:
    name, target = domains.names[domain], int(change.owner[domain])
    donor, receiver = fleet.shards[source].name, fleet.shards[target].name
    if target == domains.home[domain]:
        return f"The rest of {name} is of {receiver}; a domain has one owner."
    group = domains.group[domain]
    before, after = change.before[group], change.after[group]
    return (
        f"Of the {before.sum()} domains like {name} {donor} holds {before[source]} and then "
        f"{after[source]}, {receiver} {before[target]} and then {after[target]}."
    )


def _preconditions(
    fleet: Fleet, domains: Domains, domain: int, source: int, state: State
) -> tuple[str, ...]:
    return (
        f"{fleet.shards[source].name} still owns the machines.",
        f"They are still {state.name.lower()}, and nobody reserved or ordered them.",
        f"No other machine of {domains.names[domain]} is in use, and none was transferred a "
        f"moment ago.",
    )
