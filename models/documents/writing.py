"""Rows back to a fleet document, as plain data."""

from collections.abc import Mapping
from decimal import Decimal
from math import inf, isnan
from typing import Any

from models.documents.fields import written_duration
from models.machine import DEFAULT_PROVIDER, DEFAULT_SHARD, STABLE, MachineRow, State
from models.need import DEFAULT_DRAIN_SECONDS, Need, Spread, WhenUnsatisfiable
from models.quantity import format_quantity
from models.rows import API_VERSION, DEFAULT_TOPOLOGY, ClusterRow, FleetRows


def document_from(rows: FleetRows) -> dict[str, Any]:
    """Give the plain mapping of a fleet; ``fleet_from`` reads the same rows from it.

    What has its default is left out. One thing cannot be said in a file: "long ago" for a machine
    in transition, so such a row is written without ``stateSince`` and read as just begun.
    """
    document: dict[str, Any] = {"apiVersion": API_VERSION, "kind": "Fleet"}
    if rows.name:
        document["metadata"] = {"name": rows.name}
    if rows.topology != DEFAULT_TOPOLOGY:
        document["topology"] = list(rows.topology)
    if rows.shards_given:
        document["shards"] = [
            {"name": shard.name, "clusters": list(shard.clusters)} for shard in rows.shards
        ]
    if rows.clusters:
        document["clusters"] = [_cluster(row) for row in rows.clusters]
    document["machines"] = [_machine(index, row, rows) for index, row in enumerate(rows.machines)]
    if rows.needs_given:
        document["needs"] = [_need(need) for need in rows.needs]
    return document


def _cluster(row: ClusterRow) -> dict[str, Any]:
    return {"name": row.name, "mode": str(row.mode)}


def _machine(index: int, row: MachineRow, rows: FleetRows) -> dict[str, Any]:
    serves = rows.needs[row.serves].name if row.serves >= 0 else rows.serves_written.get(index)
    price = row.price_per_hour
    fields: list[tuple[str, Any, bool]] = [
        ("count", row.count, row.is_pattern or row.count != 1),
        ("shard", row.shard, rows.shards_given or row.shard != DEFAULT_SHARD),
        ("state", row.state.name, row.state != State.SPECULATIVE),
        ("host", {"provider": row.provider, "ref": row.host_ref}, row.host_ref is not None),
        ("provider", row.provider, row.host_ref is None and row.provider != DEFAULT_PROVIDER),
        ("cluster", row.cluster, row.cluster is not None),
        ("serves", serves, serves is not None),
        ("instanceType", row.instance_type, bool(row.instance_type)),
        ("capacityType", str(row.capacity_type), True),
        ("pricePerHour", price, not isnan(price)),
        (
            "interruptionProbability",
            row.interruption_probability,
            row.interruption_probability != 0,
        ),
        ("resources", _quantities(row.resources), bool(row.resources)),
        ("labels", dict(row.labels), bool(row.labels)),
        ("reclamationPenalty", row.reclamation_penalty, row.reclamation_penalty != 0),
        ("readySeconds", row.ready_seconds, row.ready_seconds != 0),
        ("pinned", row.pinned, row.pinned),
        ("stateSince", _moment(row.state_since), _is_told(row)),
        ("reclaimAt", _moment(row.reclaim_at), not isnan(row.reclaim_at)),
    ]
    told = {name: value for name, value, is_told in fields if is_told}
    return {"id": row.id, **told}


def _is_told(row: MachineRow) -> bool:
    default = -inf if row.state in STABLE else 0.0
    return row.state_since not in (default, -inf)


def _moment(seconds: float) -> str | None:
    if isnan(seconds) or seconds == -inf:
        return None
    written = written_duration(abs(seconds))
    text = written if isinstance(written, str) else f"{Decimal(repr(written)):f}s"
    return f"-{text}" if seconds <= 0 else text


def _need(need: Need) -> dict[str, Any]:
    fields: list[tuple[str, Any, bool]] = [
        ("priority", need.priority, need.priority != 0),
        ("resources", _quantities(need.resources), bool(need.resources)),
        ("requirements", _requirements(need), bool(need.requirements)),
        ("same", need.same, need.same is not None),
        ("spread", [_spread(spread) for spread in need.spread], bool(need.spread)),
        ("interruptionPenalty", need.interruption_penalty, need.interruption_penalty != 0),
        ("reclamationPenalty", need.reclamation_penalty, need.reclamation_penalty != 0),
        ("drainSeconds", need.drain_seconds, need.drain_seconds != DEFAULT_DRAIN_SECONDS),
        ("floor", need.floor, need.floor != 0),
    ]
    told = {name: value for name, value, is_told in fields if is_told}
    return {"id": need.name, "cluster": need.cluster, "count": need.count, **told}


def _requirements(need: Need) -> list[dict[str, Any]]:
    return [
        {"key": row.key, "operator": str(row.operator)}
        | ({"values": list(row.values)} if row.values else {})
        for row in need.requirements
    ]


def _spread(spread: Spread) -> dict[str, Any]:
    told: dict[str, Any] = {"key": spread.key, "maxSkew": spread.max_skew}
    if spread.when_unsatisfiable is not WhenUnsatisfiable.DO_NOT_SCHEDULE:
        told["whenUnsatisfiable"] = str(spread.when_unsatisfiable)
    return told


def _quantities(resources: Mapping[str, int]) -> dict[str, str]:
    return {name: format_quantity(amount, name) for name, amount in resources.items()}
