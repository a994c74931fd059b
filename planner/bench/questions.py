"""What is asked of the engines: each question makes its instance and measures it."""

from collections.abc import Callable, Iterator

from planner.bench.cold import cycle_samples
from planner.bench.dealing import attribution_samples
from planner.bench.ingest import ingest_samples
from planner.bench.instances import MOST_CLASSES, Size
from planner.bench.listing import reconcile_samples
from planner.bench.many import fleet_samples
from planner.bench.provider.calls import provider_samples
from planner.bench.rebalancing.ownership import ownership_samples
from planner.bench.rebalancing.packing import packing_samples
from planner.bench.rebalancing.shortage import shortage_samples
from planner.bench.rebalancing.transfer import transfer_samples
from planner.bench.rebalancing.victims import victims_samples
from planner.bench.run import Run
from planner.bench.sample import Sample
from planner.bench.steady import steady_samples
from planner.bench.storm import storm_samples

MACHINES_A_CLASS = 25
"""At least: a shard of few machines has fewer classes, so that racks still fill."""


def size_of(machines: int, clusters: int, needs_a_cluster: int = 15) -> Size:
    """Give a shard of so many machines."""
    classes = max(1, min(MOST_CLASSES, machines // MACHINES_A_CLASS))
    return Size(machines, classes, clusters, needs_a_cluster)


QUESTIONS: dict[str, Callable[[Run], Iterator[Sample]]] = {
    "cycle": cycle_samples,
    "steady": steady_samples,
    "storm": storm_samples,
    "ingest": ingest_samples,
    "attribution": attribution_samples,
    "reconcile": reconcile_samples,
    "fleet": fleet_samples,
}
"""By the word that asks for it."""

REBALANCING: dict[str, Callable[[Run], Iterator[Sample]]] = {
    "ownership": ownership_samples,
    "packing": packing_samples,
    "shortage": shortage_samples,
    "transfer": transfer_samples,
    "victims": victims_samples,
}
"""The same of the rebalancer, each on instances of its own named sizes."""

PROVIDERS: dict[str, Callable[[Run], Iterator[Sample]]] = {"provider": provider_samples}
"""The same of what machines come from."""
