"""Fleets whose best plan depends on the weights, small enough to be solved in milliseconds."""

from tests.planner.cli.fleets import need


def slot(identity: str, price: float, seconds: float, **fields) -> dict:
    """Give a machine that could be had in shard s1, at a price and after a time."""
    return {
        "id": identity,
        "shard": "s1",
        "instanceType": "t",
        "capacityType": "on-demand",
        "pricePerHour": price,
        "readySeconds": seconds,
        "resources": {"cpu": "8"},
    } | fields


def trading(count: int = 3) -> dict:
    """Give a fleet that is short of ``count`` machines in s0: s1 has dear, middling and cheap ones.

    What is dearer is ready sooner: 9 USD/h after 60 s, 4 after 240 s, 1 after 900 s.
    """
    kinds = {"dear": (9, 60), "middling": (4, 240), "cheap": (1, 900)}
    return {
        "kind": "Fleet",
        "metadata": {"name": "trading"},
        "shards": [{"name": "s0", "clusters": ["a"]}, {"name": "s1", "clusters": ["b"]}],
        "machines": [slot(name + "{}", *pair, count=count) for name, pair in kinds.items()],
        "needs": [need("n", "a", count=count)],
    }
