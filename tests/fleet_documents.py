"""Fleet documents for tests: that of the contract, and single rows."""

from datetime import UTC, datetime

import pytest

from models.documents import fleet_from
from models.errors import InputFault

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
ZONE = "topology.kubernetes.io/zone"

# The fleet of the contract, with an extra row or two.
CONTRACT = {
    "apiVersion": "bigfleet.dev/v1",
    "kind": "Fleet",
    "metadata": {"name": "example"},
    "topology": ["topology.kubernetes.io/region", ZONE, "example.com/spine", "example.com/rack"],
    "shards": [{"name": "s0", "clusters": ["a", "b"]}],
    "clusters": [{"name": "b", "mode": "shadow"}],
    "machines": [
        {
            "id": "gpu-{}",
            "count": 64,
            "shard": "s0",
            "state": "CONFIGURED",
            "host": {"provider": "metal-ams", "ref": "host-{}"},
            "cluster": "a",
            "serves": "a/train",
            "instanceType": "h100x8",
            "capacityType": "bare-metal",
            "pricePerHour": 0,
            "interruptionProbability": 0,
            "resources": {"cpu": "192", "memory": "2Ti", "gpu": "8"},
            "labels": {ZONE: "ams-1", "example.com/rack": "r{//8}"},
            "reclamationPenalty": 8000,
            "readySeconds": 60,
            "pinned": False,
            "stateSince": "-10m",
        },
        {"id": 7, "capacityType": "spot", "shard": "s0", "provider": "p", "pricePerHour": None},
    ],
    "needs": [
        {
            "id": "a/train",
            "cluster": "a",
            "priority": 500000,
            "count": 64,
            "resources": {"gpu": "8"},
        },
        {
            "id": "b/serve",
            "cluster": "b",
            "priority": 1000000,
            "count": 64,
            "resources": {"cpu": "96", "memory": "1Ti", "gpu": "8"},
            "requirements": [
                {"key": "example.com/rack", "operator": "Exists"},
                {"key": "generation", "operator": "Gt", "values": [6]},
            ],
            "same": None,
            "spread": [],
            "interruptionPenalty": 1000,
            "reclamationPenalty": 0,
        },
    ],
}


def machine(**fields):
    return {"id": "m", "capacityType": "spot", **fields}


def held(**fields):
    host = {"provider": "p", "ref": "h"}
    return machine(state="CONFIGURED", cluster="a", host=host, **fields)


def need(**fields):
    return {"id": "n", "cluster": "a", "count": 1, **fields}


def faults_in(document, now=None):
    with pytest.raises(InputFault) as fault:
        fleet_from(document, now)
    for one in fault.value.faults:
        assert "\n" not in str(one)
        assert len(str(one)) < 700
    return {one.path: one.message for one in fault.value.faults}


def only_fault(document, now=None):
    found = faults_in(document, now)
    assert len(found) == 1, found
    return next(iter(found.items()))
