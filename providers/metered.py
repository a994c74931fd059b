"""Tell Prometheus what a provider is asked and what it answers."""

from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from prometheus_client import CollectorRegistry, Counter, Histogram

from models.errors import ProviderError
from models.machine import Operation
from providers.calls import Calls, reading
from providers.listing import Page
from providers.orders import Ack, Fence, Order
from providers.port import Found
from providers.timing import Timing

T = TypeVar("T")

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
"""From a call on loopback to the longest that a List may take."""


class ProviderMetrics:
    """The series of all providers of one process; a registry takes them once.

    ``call`` is the operation (Create, Configure, Drain, Delete), Get or List.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"bigfleet_provider_{name}", text, labels, registry=registry)

        self.seconds = Histogram(
            "bigfleet_provider_call_seconds",
            "How long calls took; of a List, how long it let wait for its pages.",
            ("provider", "call"),
            buckets=SECONDS,
            registry=registry,
        )
        self.calls = counter("calls", "Calls that began.", "provider", "call")
        self.errors = counter(
            "errors",
            "Calls that went wrong as a whole, by what was raised.",
            "provider", "call", "kind",
        )  # fmt: skip
        self.orders = counter(
            "orders",
            "Orders answered: class and kind of the refusal, both empty where it was accepted.",
            "provider", "call", "error_class", "kind",
        )  # fmt: skip
        self.listed = counter("listed_machines", "Machines that Lists gave.", "provider")
        self.lists = counter(
            "lists",
            "Lists that ended: full, changes, partial (no end), or left by the reader.",
            "provider", "outcome",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Metered:
    """Counts; changes nothing."""

    inner: Calls
    metrics: ProviderMetrics
    timing: Timing = field(default_factory=Timing)

    @property
    def name(self) -> str:
        """See ``CapacityProvider``."""
        return self.inner.name

    async def order(
        self, operation: Operation, fence: Fence, orders: Sequence[Order]
    ) -> Sequence[Ack]:
        """See ``Calls``."""
        acks = await self._timed(operation.value, self.inner.order(operation, fence, orders))
        for ack in acks:
            failure = ack.failure
            refusal = failure.refusal if failure is not None else None
            labels = (
                failure.failure_class.name if failure is not None else "",
                refusal.name if refusal is not None else "",
            )
            self.metrics.orders.labels(self.name, operation.value, *labels).inc()
        return acks

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""
        return await self._timed("Get", self.inner.get(machines))

    async def list(
        self, cursor: str = "", *, shard: str = "", columnar: bool = False
    ) -> AsyncIterator[Page]:
        """See ``CapacityProvider``."""
        self.metrics.calls.labels(self.name, "List").inc()
        spent, outcome = 0.0, "left"
        try:
            async with reading(self.inner.list(cursor, shard=shard, columnar=columnar)) as pages:
                while True:
                    began = self.timing.clock()
                    try:
                        page = await anext(pages, None)
                    finally:
                        # What the reader does between pages is not the provider's time.
                        spent += self.timing.clock() - began
                    if page is None:
                        outcome = "partial" if outcome == "left" else outcome
                        return
                    if page.end is not None:
                        outcome = "full" if page.end.is_full else "changes"
                    count = len(page.machines) + (len(page.columns) if page.columns else 0)
                    self.metrics.listed.labels(self.name).inc(count)
                    yield page
        except ProviderError as error:
            outcome = "partial"
            self._erred("List", error)
            raise
        finally:
            self.metrics.seconds.labels(self.name, "List").observe(spent)
            self.metrics.lists.labels(self.name, outcome).inc()

    async def _timed(self, call: str, work: Awaitable[T]) -> T:
        self.metrics.calls.labels(self.name, call).inc()
        began = self.timing.clock()
        try:
            return await work
        except ProviderError as error:
            self._erred(call, error)
            raise
        finally:
            self.metrics.seconds.labels(self.name, call).observe(self.timing.clock() - began)

    def _erred(self, call: str, error: ProviderError) -> None:
        self.metrics.errors.labels(self.name, call, type(error).__name__).inc()
