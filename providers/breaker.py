"""Leave a provider alone that does not answer, and ask it gently whether it is back."""

from collections import deque
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from math import inf
from typing import Any, TypeVar

from models.errors import (
    ProviderError,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    Unsupported,
)
from models.machine import Operation
from providers.calls import Calls, reading
from providers.listing import Page
from providers.orders import Ack, Fence, Order
from providers.port import Found
from providers.timing import Timing

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    """When a circuit opens, and for how long.

    Attributes
    ----------
    failures
        In a row.
    share, calls, window_seconds
        Or this share of the calls that ended in the window, of which there were so many at least.
    open_seconds
        Until the provider is asked again.
    """

    failures: int = 5
    share: float = 0.5
    calls: int = 20
    window_seconds: float = 60.0
    open_seconds: float = 15.0


class Circuit(Enum):
    """Whether calls pass."""

    CLOSED = "calls pass"
    OPEN = "none does"
    HALF_OPEN = "one that changes nothing may ask whether the provider is back"


@dataclass(slots=True)
class Breaker:
    """The state machine; pure: whoever asks says what time it is.

    M. Nygard, Release It!, 2007, "Circuit Breaker".
    """

    patience: Patience = Patience()
    opened: float | None = None
    in_a_row: int = 0
    ended: deque[tuple[float, bool]] = field(default_factory=deque)
    life: int = 0
    """Rises as the circuit opens and closes: what began before says nothing about now."""

    def circuit(self, now: float) -> Circuit:
        """Say whether calls pass."""
        if self.opened is None:
            return Circuit.CLOSED
        is_over = now >= self.opened + self.patience.open_seconds
        return Circuit.HALF_OPEN if is_over else Circuit.OPEN

    def wait(self, now: float) -> float:
        """Give the seconds until the provider is asked again; 0.0: it is being asked."""
        began = -inf if self.opened is None else self.opened
        return max(0.0, began + self.patience.open_seconds - now)

    def succeeded(self, life: int, now: float) -> None:
        """Take note of an answer, whatever it was; ``life`` as it was when the call began."""
        if life != self.life:
            return
        if self.opened is not None:
            self._turn(None)
        else:
            self.in_a_row = 0
            self._remember(now, is_failure=False)

    def failed(self, life: int, now: float) -> None:
        """Take note of a call that had no answer."""
        if life != self.life:
            return
        self.in_a_row += 1
        self._remember(now, is_failure=True)
        if self.opened is not None or self._is_enough():
            self._turn(now)

    def _turn(self, opened: float | None) -> None:
        self.opened, self.in_a_row = opened, 0
        self.life += 1
        self.ended.clear()

    def _remember(self, now: float, *, is_failure: bool) -> None:
        self.ended.append((now, is_failure))
        while self.ended[0][0] < now - self.patience.window_seconds:
            self.ended.popleft()

    def _is_enough(self) -> bool:
        failures = sum(is_failure for _, is_failure in self.ended)
        is_share = failures >= self.patience.share * len(self.ended)
        is_many = len(self.ended) >= self.patience.calls
        return self.in_a_row >= self.patience.failures or (is_share and is_many)


@dataclass(slots=True)
class Guarded:
    """Refuses calls while the circuit is open, with ``ProviderThrottled``: nothing was done.

    Only ``ProviderUnavailable`` counts against a provider. Whatever else it answers, refusals of
    all kinds among it, shows that it is there; that it throttles says neither, as it may be a
    budget on our own side that does. When it is time to ask again, a Get or a List that comes goes
    through, alone; where an order comes first, a Get of nothing is made before it, so that no order
    is lost in a provider that is still away.
    """

    inner: Calls
    breaker: Breaker = field(default_factory=Breaker)
    timing: Timing = field(default_factory=Timing)
    is_asking: bool = False

    @property
    def name(self) -> str:
        """See ``CapacityProvider``."""
        return self.inner.name

    async def order(
        self, operation: Operation, fence: Fence, orders: Sequence[Order]
    ) -> Sequence[Ack]:
        """See ``Calls``."""
        if self.breaker.circuit(self.timing.clock()) is Circuit.HALF_OPEN:
            await self._ask()
        return await self._passed(self.inner.order(operation, fence, orders))

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""
        return await self._passed(self.inner.get(machines))

    async def list(
        self, cursor: str = "", *, shard: str = "", columnar: bool = False
    ) -> AsyncIterator[Page]:
        """See ``CapacityProvider``."""
        with self._passing():
            async with reading(self.inner.list(cursor, shard=shard, columnar=columnar)) as pages:
                async for page in pages:
                    yield page

    async def _ask(self) -> None:
        """Find out whether the provider is back.

        Raises
        ------
        ProviderThrottled
            When it is not, or somebody asks already.
        """
        try:
            await self.get(())
        except ProviderUnavailable:
            raise self._left_alone() from None
        except (ProviderRefused, Unsupported):
            pass  # It is there.

    async def _passed(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            with self._passing():
                return await work
        finally:
            # One that was never begun would warn.
            work.close()

    @contextmanager
    def _passing(self) -> Iterator[None]:
        """Let a call pass and take note of how it ends; one that is given up says nothing."""
        clock, breaker = self.timing.clock, self.breaker
        circuit = breaker.circuit(clock())
        if circuit is Circuit.OPEN or (circuit is Circuit.HALF_OPEN and self.is_asking):
            raise self._left_alone()
        is_probe, life = circuit is Circuit.HALF_OPEN, breaker.life
        self.is_asking |= is_probe
        try:
            yield
        except ProviderThrottled:
            raise
        except ProviderUnavailable:
            breaker.failed(life, clock())
            raise
        except ProviderError:
            breaker.succeeded(life, clock())
            raise
        else:
            breaker.succeeded(life, clock())
        finally:
            if is_probe:
                self.is_asking = False

    def _left_alone(self) -> ProviderThrottled:
        wait = self.breaker.wait(self.timing.clock())
        said = f"it did not answer, and is left alone for {wait:.3g} s."
        return ProviderThrottled(self.name, said, wait)
