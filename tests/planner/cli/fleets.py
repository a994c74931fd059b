"""Small fleet files for the tests of the command line."""

from pathlib import Path

from planner.files import dump_yaml

METAL = {"instanceType": "t", "capacityType": "bare-metal", "pricePerHour": 0.5}


def machine(identity: str, **fields) -> dict:
    """Give a machine; with a ``state`` that has a host it gets one."""
    row = {"id": identity, **METAL, "resources": {"cpu": "8"}}
    if fields.get("state", "SPECULATIVE") != "SPECULATIVE":
        row["host"] = {"provider": "p", "ref": f"h-{identity}"}
    return row | fields


def need(identity: str, cluster: str, **fields) -> dict:
    """Give a need of one machine with four cores."""
    return {"id": identity, "cluster": cluster, "count": 1, "resources": {"cpu": "4"}} | fields


def only(capacity_type: str) -> list[dict]:
    """Give the requirement of one capacity type."""
    key = "bigfleet.dev/capacity-type"
    return [{"key": key, "operator": "In", "values": [capacity_type]}]


TWO_SHARDS = {
    "kind": "Fleet",
    "metadata": {"name": "two"},
    "shards": [{"name": "s0", "clusters": ["a", "c"]}, {"name": "s1", "clusters": ["b"]}],
    "machines": [
        machine("i{}", count=2, shard="s1", state="IDLE"),
        machine("q", shard="s0", capacityType="on-demand", pricePerHour=2.5),
        machine("v{}", count=4, shard="s0", state="CONFIGURED", cluster="a", serves="low"),
    ],
    "needs": [
        need("train", "c", priority=500000, count=3, requirements=only("bare-metal")),
        need("burst", "c", priority=400000, requirements=only("on-demand")),
        need("low", "a", priority=100000, count=4),
        need("serve", "b", priority=1000000),
    ],
}
"""In s0 burst buys q and train preempts three of low; one idle machine of s1 is left over."""


def write(folder: Path, fleet: dict, *more: dict) -> str:
    """Write a fleet and further documents into one file; give its name."""
    file = folder / "fleet.yaml"
    file.write_text("---\n".join(map(dump_yaml, (fleet, *more))), "utf-8")
    return str(file)
