"""Repeat what is safe to repeat: the one place that does."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from random import random
from typing import TypeVar

from models.errors import ProviderThrottled, ProviderUnavailable
from models.failure import FailureClass
from models.machine import Operation
from providers.calls import Calls, checked, reading
from providers.listing import Page
from providers.machine import Failure
from providers.orders import Ack, Fence, Order
from providers.port import Found
from providers.timing import Timing

T = TypeVar("T")

Failed = ProviderUnavailable | ProviderThrottled


@dataclass(frozen=True, slots=True)
class Retries:
    """How often, and how long.

    The n-th wait, from 0, is drawn evenly from 0 to min(``most_seconds``, ``first_seconds`` x 2^n):
    "full jitter", M. Brooker, Exponential Backoff And Jitter, AWS Architecture Blog, 2015. What
    the provider asks for comes on top.

    Attributes
    ----------
    attempt_seconds
        The longest that one attempt takes: what hangs is given up then. It has to be longer than
        all waiting that is done below, or an order that only waited would be in doubt.
    deadline_seconds
        Over all attempts: none begins that might end later.

    Raises
    ------
    ValueError
        When a number makes no sense.
    """

    attempts: int = 6
    first_seconds: float = 0.5
    most_seconds: float = 10.0
    attempt_seconds: float = 45.0
    deadline_seconds: float = 120.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts is {self.attempts}; the first one counts.")
        for name in ("first_seconds", "most_seconds", "attempt_seconds"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it is above 0.")
        if self.deadline_seconds < self.attempt_seconds:
            said = f"deadline_seconds is {self.deadline_seconds}; one attempt takes longer."
            raise ValueError(said)


@dataclass(slots=True)
class _Tries:
    """Attempts at one call."""

    settings: Retries
    timing: Timing
    chance: Callable[[], float]
    until: float
    made: int = 0
    in_doubt: ProviderUnavailable | None = None

    def wait_seconds(self, asked: float = 0.0) -> float | None:
        """Count an attempt that failed; give the wait before the next, None: there is none."""
        doubled = self.settings.first_seconds * 2.0 ** min(self.made, 60)
        wait = asked + self.chance() * min(self.settings.most_seconds, doubled)
        self.made += 1
        ends = self.timing.clock() + wait + self.settings.attempt_seconds
        return wait if self.made < self.settings.attempts and ends <= self.until else None


@dataclass(frozen=True, slots=True)
class Retrying:
    """Repeats ``ProviderUnavailable`` and ``ProviderThrottled``, and orders that are THROTTLED.

    All calls are idempotent under the same fence. An order that is refused for anything else is
    an answer; so is INTERNAL, of which Get tells. THROTTLED orders are repeated alone: what the
    others were told stands. One that is still THROTTLED at the end is answered INTERNAL if any
    attempt had no answer, for that one may have been done. A List begins again only while none of
    its pages has been given on; after that it is partial.

    What is raised at the end is the last error, or ``ProviderUnavailable`` if any attempt may have
    been done.

    Attempts have one sequence, the caller's: under a later one an outdated order would be heard
    after a younger one of the caller. So one hole is left: an attempt that was given up, and comes
    in only after its repeat was done and the cloud has taken the machine back, begins anew. Any
    order for the machine in between makes it STALE. Who cannot bear it sends with one attempt and
    repeats from above, under a new sequence, as ``Intents`` does.
    """

    inner: Calls
    settings: Retries = Retries()
    timing: Timing = field(default_factory=Timing)
    chance: Callable[[], float] = random

    @property
    def name(self) -> str:
        """See ``CapacityProvider``."""
        return self.inner.name

    async def order(
        self, operation: Operation, fence: Fence, orders: Sequence[Order]
    ) -> Sequence[Ack]:
        """See ``Calls``."""
        tries = self._tries()

        async def made(some: Sequence[Order]) -> Sequence[Ack]:
            answers = await self._made(tries, lambda: self.inner.order(operation, fence, some))
            return checked(self.name, some, answers)

        acks = list(await made(orders))
        while places := [place for place, ack in enumerate(acks) if _is_throttled(ack)]:
            if (wait := tries.wait_seconds()) is None:
                break
            await self.timing.sleep(wait)
            try:
                again = await made([orders[place] for place in places])
            except (ProviderThrottled, ProviderUnavailable):
                break
            for place, ack in zip(places, again, strict=True):
                acks[place] = ack
        if tries.in_doubt is None:
            return acks
        # That nothing was done holds for the last attempt only.
        return [_doubtful(ack, tries.in_doubt) if _is_throttled(ack) else ack for ack in acks]

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""
        return await self._made(self._tries(), lambda: self.inner.get(machines))

    async def list(
        self, cursor: str = "", *, shard: str = "", columnar: bool = False
    ) -> AsyncIterator[Page]:
        """See ``CapacityProvider``."""
        tries, is_begun = self._tries(), False
        while True:
            try:
                pages = self.inner.list(cursor, shard=shard, columnar=columnar)
                async with reading(pages) as left:
                    page = await self._within(anext(left, None))
                    while page is not None:
                        is_begun = True
                        yield page
                        page = await anext(left, None)
                    return
            except (ProviderUnavailable, ProviderThrottled) as error:
                wait = None if is_begun else tries.wait_seconds(_asked(error))
                if wait is None:
                    raise
            await self.timing.sleep(wait)

    def _tries(self) -> _Tries:
        until = self.timing.clock() + self.settings.deadline_seconds
        return _Tries(self.settings, self.timing, self.chance, until)

    async def _made(self, tries: _Tries, call: Callable[[], Awaitable[T]]) -> T:
        """Call until there is an answer, or no time or attempt left."""
        while True:
            try:
                return await self._within(call())
            except (ProviderUnavailable, ProviderThrottled) as error:
                if isinstance(error, ProviderUnavailable):
                    tries.in_doubt = error
                wait = tries.wait_seconds(_asked(error))
                if wait is None:
                    # A throttled attempt was not done; one before it may have been.
                    raise (tries.in_doubt or error) from None
            await self.timing.sleep(wait)

    async def _within(self, work: Awaitable[T]) -> T:
        seconds = self.settings.attempt_seconds
        try:
            async with asyncio.timeout(seconds) as limit:
                return await work
        except TimeoutError:
            if not limit.expired():
                raise
            raise ProviderUnavailable(self.name, f"no answer within {seconds:g} s.") from None


def _asked(error: Failed) -> float:
    """Give the seconds that the provider wants to be left alone."""
    return error.retry_seconds if isinstance(error, ProviderThrottled) else 0.0


def _is_throttled(ack: Ack) -> bool:
    return ack.failure is not None and ack.failure.failure_class is FailureClass.THROTTLED


def _doubtful(ack: Ack, error: ProviderUnavailable) -> Ack:
    """Give the answer to an order whose repeat had none: it may have been done."""
    at = ack.failure.at if ack.failure is not None else 0.0
    return replace(ack, failure=Failure(FailureClass.INTERNAL, str(error), at))
