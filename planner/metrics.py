"""What BigFleet tells Prometheus, in its text format."""

from collections.abc import Mapping, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Gauge, generate_latest


def build_metrics(parts: Mapping[str, str]) -> str:
    """Give ``bigfleet_build_info``: always 1, with the versions, and the kernel, as labels.

    ``kernel`` is "numpy" where no compiler was there when the package was built: an alert can then
    name the hosts that are slow for that reason.
    """
    registry = CollectorRegistry()
    info = Gauge(
        "bigfleet_build_info",
        "Versions at work, and the kernel of the hot path.",
        list(parts),
        registry=registry,
    )
    info.labels(**parts).set(1)
    return generate_latest(registry).decode()


def plan_metrics(tree: Mapping[str, Any]) -> str:
    """Give what a plan serves and leaves, from its plain tree; each series as the plan leaves it.

    The ``class`` of all classes together is "".
    """
    registry = CollectorRegistry()
    _gauges(
        registry,
        "priority",
        {
            "bigfleet_asked_machines": "Machines asked for.",
            "bigfleet_served_machines": "Machines serving after the plan.",
            "bigfleet_gap_ratio": "Proven distance from the most that can be served, 0 to 1.",
        },
        [
            ((str(row["priority"]),), (row["asked"], row["served"], row["gap"]))
            for row in tree["levels"]
        ],
    )
    _gauges(
        registry,
        "level class",
        {
            "bigfleet_free_machines": "Idle machines that nobody has.",
            "bigfleet_largest_gang_machines": "Largest gang that idle machines can hold.",
            "bigfleet_largest_gang_with_new_machines": "The same with machines that can be bought.",
            "bigfleet_fragmented_machines": "Free machines in partly used domains.",
        },
        [
            (
                (row["level"], row["class"] or ""),
                tuple(
                    row["after"][key]
                    for key in ("free", "largestGang", "largestGangWithNew", "fragmented")
                ),
            )
            for row in tree["fragmentation"]
        ],
    )
    seconds = Gauge("bigfleet_solve_seconds", "Time that the plan took.", registry=registry)
    seconds.set(tree["seconds"])
    return generate_latest(registry).decode()


def _gauges(
    registry: CollectorRegistry,
    labels: str,
    texts: Mapping[str, str],
    rows: Sequence[tuple[tuple[str, ...], tuple[float, ...]]],
) -> None:
    """Add a gauge for each text, with the values of the rows in the same order."""
    for place, (name, text) in enumerate(texts.items()):
        gauge = Gauge(name, text, labels.split(), registry=registry)
        for names, values in rows:
            gauge.labels(*names).set(values[place])
