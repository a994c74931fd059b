"""What is always true of a fleet: owners, hosts, clusters and who serves whom."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from models.audit.laws import Law
from models.audit.names import machine_name, need_name
from models.audit.violation import Violation
from models.fleet import Fleet, Mask
from models.machine import (
    CLUSTER_OPTIONAL,
    CLUSTER_REQUIRED,
    HOST_REFUSED,
    HOST_REQUIRED,
    RESERVABLE,
    UNKNOWN_NEED,
    State,
)

_SERVING = RESERVABLE | {State.CONFIGURING, State.CONFIGURED, State.FAILED}
"""States in which a machine may name a need: it serves it, is reserved for it, or failed with it.

A failed machine keeps the name for its retry, counts for nobody, and is no victim."""

_OF_OWN_CLUSTER = frozenset({State.CONFIGURING, State.CONFIGURED})
"""States in which what a machine serves is of the cluster it is in; a draining one leaves it."""


def audit_fleet(fleet: Fleet) -> tuple[Violation, ...]:
    """Give everything that can never be true of a fleet, whatever was decided before.

    Costs a few passes over the columns; may be asked about some machines only (``Machines.take``).
    """
    return (
        *_owners(fleet),
        *_unique_ids(fleet),
        *_hosts(fleet),
        *_clusters(fleet),
        *_serves(fleet),
    )


def _owners(fleet: Fleet) -> Iterator[Violation]:
    shard = fleet.machines.shard
    for row in np.flatnonzero((shard < 0) | (shard >= len(fleet.shards))).tolist():
        yield Violation(Law.ONE_OWNER, machine_name(fleet, row), "no shard owns it")
    owners = Counter(cluster for shard in fleet.shards for cluster in shard.clusters)
    for cluster, name in enumerate(fleet.clusters):
        if owners[cluster] != 1:
            message = f"{owners[cluster]} shards own it"
            yield Violation(Law.ONE_OWNER, f"cluster {name}", message)


def _unique_ids(fleet: Fleet) -> Iterator[Violation]:
    ids = fleet.machines.ids.tolist()
    if len(set(ids)) < len(ids):
        for name, count in sorted(Counter(ids).items()):
            if count > 1:
                yield Violation(Law.UNIQUE_ID, f"machine {name}", f"there are {count} of it")


def _hosts(fleet: Fleet) -> Iterator[Violation]:
    has_host = fleet.machines.hosted
    for row in np.flatnonzero(~has_host & _in(fleet, HOST_REQUIRED)).tolist():
        yield Violation(Law.HOST_BY_STATE, *_stated(fleet, row, "without a host"))
    for row in np.flatnonzero(has_host & _in(fleet, HOST_REFUSED)).tolist():
        yield Violation(Law.HOST_BY_STATE, *_stated(fleet, row, "with a host"))
    for row in np.flatnonzero(~has_host & (fleet.machines.cluster >= 0)).tolist():
        yield Violation(Law.NO_CLUSTER_WITHOUT_HOST, *_stated(fleet, row, "has a cluster only"))


def _clusters(fleet: Fleet) -> Iterator[Violation]:
    has_cluster = fleet.machines.cluster >= 0
    for row in np.flatnonzero(~has_cluster & _in(fleet, CLUSTER_REQUIRED)).tolist():
        yield Violation(Law.CLUSTER_BY_STATE, *_stated(fleet, row, "without a cluster"))
    for row in np.flatnonzero(
        has_cluster & ~_in(fleet, CLUSTER_REQUIRED | CLUSTER_OPTIONAL)
    ).tolist():
        yield Violation(Law.CLUSTER_BY_STATE, *_stated(fleet, row, "with a cluster"))


def _serves(fleet: Fleet) -> Iterator[Violation]:
    serves = fleet.machines.serves
    unknown = (serves < UNKNOWN_NEED) | (serves >= len(fleet.needs))
    for row in np.flatnonzero(unknown).tolist():
        message = f"serves need number {serves[row]}, which is none"
        yield Violation(Law.SERVES, machine_name(fleet, row), message)
    serving = (serves >= 0) & ~unknown
    for row in np.flatnonzero(serving & ~_in(fleet, _SERVING)).tolist():
        yield Violation(Law.SERVES, *_stated(fleet, row, "but serves a need"))
    for row in np.flatnonzero(serving & _in(fleet, _OF_OWN_CLUSTER)).tolist():
        if fleet.need_cluster[serves[row]] != fleet.machines.cluster[row]:
            message = f"serves {need_name(fleet, serves[row])}, which is not of its cluster"
            yield Violation(Law.SERVES, machine_name(fleet, row), message)


def _in(fleet: Fleet, states: frozenset[State]) -> Mask:
    return np.isin(fleet.machines.state, [int(state) for state in states])


def _stated(fleet: Fleet, row: int, what: str) -> tuple[str, str]:
    return machine_name(fleet, row), f"{State(fleet.machines.state[row]).name} {what}"
