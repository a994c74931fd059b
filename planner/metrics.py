"""What BigFleet tells Prometheus, in its text format."""

from collections.abc import Mapping

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
