"""The port over several accounts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from models.errors import (
    ProviderError,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    Unsupported,
)
from models.failure import FailureClass
from models.machine import Operation
from providers.calls import Calls, checked, reading
from providers.fanout.bindings import Bindings, Place
from providers.fanout.cursor import Cursor, read_cursor
from providers.fanout.rests import TIRING, Rests
from providers.fanout.sight import (
    Group,
    seen_columns,
    seen_row,
    shown_columns,
    shown_row,
)
from providers.fanout.slots import Slots
from providers.listing import ListEnd, Page
from providers.machine import Failure, Machine, Refusal
from providers.orders import Ack, Fence, Order
from providers.port import MOST_ORDERS, Found
from providers.timing import Timing

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Sent:
    """An order on its way: its place in the call, and where it goes."""

    at: int
    order: Order
    to: Place


@dataclass(eq=False, slots=True)
class Fanout:
    """Several accounts of one region as one provider.

    What an id stands for: see ``slots.Slots``. A Create that an account refuses for CAPACITY,
    QUOTA or IP is tried in the same call with those accounts that do not rest, each once; the
    account then rests for that instance type, capacity type and zone. Where all that could do it
    rest, the order is refused without a call, as the last time. All other orders go to the
    account that has the machine.

    An account that fails answers for its own orders only: THROTTLED where nothing was done,
    INTERNAL where nobody knows; if all that were asked fail, the call does. A Get needs all
    accounts that it asks. A List reads one account after the other; one that fails makes it
    partial: all others are given first, then the error is raised.
    """

    name: str
    accounts: Mapping[str, Calls]
    bindings: Bindings
    rests: Rests = field(default_factory=Rests)
    timing: Timing = field(default_factory=Timing)
    slots: Slots = field(init=False)

    def __post_init__(self) -> None:
        for account in self.accounts:
            if not account or "/" in account:
                raise ValueError(f"account {account!r} is no name: it is a part of ids before '/'.")
        self.slots = Slots.of(tuple(self.accounts), self.bindings.load())

    async def order(
        self, operation: Operation, fence: Fence, orders: Sequence[Order]
    ) -> Sequence[Ack]:
        """See ``Calls``."""
        acks: dict[int, Ack] = {}
        tried: dict[int, set[str]] = {at: set() for at in range(len(orders))}
        left, is_first = list(range(len(orders))), True
        while left:
            sent = []
            for at in left:
                goes = self._routed(operation, orders[at], tried[at], acks.get(at))
                if isinstance(goes, Place):
                    sent.append(_Sent(at, orders[at], goes))
                    tried[at].add(goes.account)
                else:
                    acks[at] = goes
            told = await self._answers(operation, fence, sent, may_raise=is_first and not acks)
            acks.update(told)
            left, is_first = [each.at for each in sent if _is_tiring(acks[each.at])], False
        self._save_soon()
        return [acks[at] for at in range(len(orders))]

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""
        places = {name: self.slots.place(name) for name in machines}
        asked: dict[str, list[str]] = {}
        for place in places.values():
            if place is not None:
                asked.setdefault(place.account, []).append(place.machine)
        answers = await _all(
            {account: self.accounts[account].get(names) for account, names in asked.items()}
        )
        known: dict[Place, Machine] = {}
        for account, found in answers.items():
            if isinstance(found, ProviderError):
                raise found
            for machine in found.machines:
                self.slots.saw(account, seen_row(machine))
                known[Place(account, machine.id)] = machine
        self._save_soon()
        there = {name: known[place] for name, place in places.items() if place in known}
        return Found(
            tuple(self._shown(name, there[name]) for name in machines if name in there),
            tuple(name for name in machines if name not in there),
        )

    async def list(
        self, cursor: str = "", *, shard: str = "", columnar: bool = False
    ) -> AsyncIterator[Page]:
        """See ``CapacityProvider``."""
        began, since = self.slots.moves, read_cursor(cursor, self.accounts)
        reader = _Reader(self, shard, columnar, began if since is None else since.moved)
        if since is not None:
            # Changes are few. They are kept back until it is known that all accounts gave changes:
            # what an account lists in full is missing what is gone, and cannot say so.
            kept = [page async for page in reader.pages(since.accounts)]
            if reader.full:
                since, reader = None, _Reader(self, shard, columnar, began)
            else:
                for page in kept:
                    yield page
        if since is None:
            async for page in reader.pages(dict.fromkeys(self.accounts, "")):
                yield page
        if reader.error is not None:
            raise reader.error
        if len(reader.cursors if since is not None else reader.full) < len(self.accounts):
            return
        moved = reader.moved()
        for start in range(0, len(moved), MOST_ORDERS):
            found = await self.get(moved[start : start + MOST_ORDERS])
            if since is not None:
                # Changes tell of what went to another owner too.
                yield Page(found.machines, gone=found.unknown)
                continue
            chosen = (each for each in found.machines if each.shard in ("", shard or each.shard))
            yield Page(tuple(chosen))
        yield Page(end=ListEnd(str(Cursor(began, reader.cursors)), since is None))

    def _routed(
        self, operation: Operation, order: Order, tried: set[str], last: Ack | None
    ) -> Place | Ack:
        """Say where an order goes, or what its answer is; ``last`` is the one it has."""
        place = self.slots.place(order.machine)
        if place is None:
            said = f"the provider lists no machine {order.machine!r}."
            failure = Failure(FailureClass.INVALID, said, 0.0, Refusal.UNKNOWN_MACHINE)
            return Ack(order.machine, failure=failure)
        if operation is not Operation.CREATE:
            return last or place
        now = self.timing.clock()

        def may(account: str, group: Group) -> bool:
            return account not in tried and not (
                self.rests.kept and self.rests.failure(group.kind(account), now)
            )

        chosen = self.slots.choose(order.machine, place, may)
        if chosen is None or chosen.account in tried:
            return last or self._resting(order.machine, place, now)
        self.slots.depart(order.machine)
        return chosen

    def _resting(self, name: str, place: Place, now: float) -> Ack:
        """Refuse a Create for which all accounts rest."""
        group = self.slots.group(place)
        failure = None if group is None else self.rests.failure(group.kind(place.account), now)
        assert failure is not None, "only an account that rests is passed over before it is tried."
        return Ack(name, failure=failure)

    async def _answers(
        self, operation: Operation, fence: Fence, sent: Sequence[_Sent], *, may_raise: bool
    ) -> dict[int, Ack]:
        """Send orders to their accounts, all at once; give the answers by place in the call."""
        landed, is_sent = set[int](), False
        try:
            # Before the call: a crash in between must not send the repeat elsewhere.
            self._save()
            is_sent = True
            parts: dict[str, list[_Sent]] = {}
            for each in sent:
                parts.setdefault(each.to.account, []).append(each)
            answers = await _all(
                {
                    account: self._part(operation, fence, account, part)
                    for account, part in parts.items()
                }
            )
            acks: dict[int, Ack] = {}
            for account, answer in answers.items():
                for place, each in enumerate(parts[account]):
                    ack = (
                        Ack(each.to.machine, failure=_failure(answer))
                        if isinstance(answer, ProviderError)
                        else answer[place]
                    )
                    landed.add(each.at)
                    acks[each.at] = self._landed(operation, each, ack)
        finally:
            for each in sent:
                if each.at not in landed and operation is Operation.CREATE:
                    # Given up, or a fault of ours: once sent it may have been done.
                    self.slots.arrive(
                        each.order.machine, is_accepted=False, is_certain=not is_sent, seen=None
                    )
        errors = [answer for answer in answers.values() if isinstance(answer, ProviderError)]
        if may_raise and sent and len(errors) == len(answers):
            self._save_soon()
            raise next((e for e in errors if isinstance(e, ProviderUnavailable)), errors[0])
        return acks

    async def _part(
        self, operation: Operation, fence: Fence, account: str, part: Sequence[_Sent]
    ) -> Sequence[Ack]:
        orders = [replace(each.order, machine=each.to.machine) for each in part]
        acks = await self.accounts[account].order(operation, fence, orders)
        return checked(account, orders, acks)

    def _landed(self, operation: Operation, sent: _Sent, ack: Ack) -> Ack:
        """Learn from an answer, and put it as from outside."""
        name, account = sent.order.machine, sent.to.account
        seen = seen_row(ack.snapshot) if ack.snapshot is not None else None
        group = seen.group if seen is not None else self.slots.group(sent.to)
        if operation is Operation.CREATE:
            failure = ack.failure
            if group is not None and failure is None:
                self.rests.accepted(group.kind(account))
            elif group is not None and failure is not None and _is_tiring(ack):
                self.rests.refused(group.kind(account), failure, self.timing.clock())
            is_doubtful = failure is not None and failure.failure_class is FailureClass.INTERNAL
            self.slots.arrive(
                name, is_accepted=failure is None, is_certain=not is_doubtful, seen=seen
            )
        elif seen is not None:
            self.slots.saw(account, seen)
        snapshot = None if ack.snapshot is None else self._shown(name, ack.snapshot)
        return Ack(name, ack.operation, snapshot, ack.failure)

    def _shown(self, name: str, machine: Machine) -> Machine:
        return shown_row(machine, name, self.slots.added(name))

    def _save(self) -> None:
        """Keep what must last.

        Raises
        ------
        ProviderUnavailable
            When it cannot be kept; it will be tried again.
        """
        if not self.slots.changed:
            return
        try:
            self.bindings.save(self.slots.changed)
        except OSError as error:
            raise ProviderUnavailable(self.name, f"{error}.") from error
        self.slots.changed.clear()

    def _save_soon(self) -> None:
        """Keep what may as well be kept before the next call."""
        with suppress(ProviderUnavailable):
            self._save()


@dataclass(eq=False, slots=True)
class _Reader:
    """Reads the Lists of all accounts; afterwards it knows how they ended.

    ``since``: exchanges of slots after this one matter to who reads. ``listed`` has the ids that
    were listed after one they took part in.
    """

    fanout: Fanout
    shard: str
    columnar: bool
    since: int
    cursors: dict[str, str] = field(default_factory=dict)
    full: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    error: ProviderError | None = None

    async def pages(self, cursors: Mapping[str, str]) -> AsyncIterator[Page]:
        """Give the pages of each account from its cursor on, without their ends."""
        for account, calls in self.fanout.accounts.items():
            try:
                pages = calls.list(cursors[account], shard=self.shard, columnar=self.columnar)
                async with reading(pages) as left:
                    async for page in left:
                        if page.end is not None:
                            self.cursors[account] = page.end.cursor
                            if page.end.is_full:
                                self.full.add(account)
                        yield self._shown(account, page)
            except ProviderError as error:
                self.error = self.error or error

    def moved(self) -> list[str]:
        """Give the ids that were not listed as they stand since they exchanged their slots.

        If that was while pages were read, they may have been listed twice, or not at all.
        """
        moved = self.fanout.slots.moved_since(self.since)
        return [name for name in moved if name not in self.listed]

    def _shown(self, account: str, page: Page) -> Page:
        """Learn from a page of an account, and put it as from outside."""
        slots = self.fanout.slots
        rows = [
            shown_row(machine, name, slots.added(name))
            for machine in page.machines
            for name in (slots.saw(account, seen_row(machine)),)
        ]
        names = [row.id for row in rows]
        columns = page.columns
        if columns is not None and len(columns):
            listed = [slots.saw(account, seen) for seen in seen_columns(columns)]
            columns = shown_columns(columns, listed, map(slots.added, listed))
            names += listed
        for name in names:
            binding = slots.bindings.get(name)
            if binding is not None and binding.moved > self.since:
                self.listed.add(name)
        return Page(tuple(rows), columns, tuple(slots.lost(account, each) for each in page.gone))


async def _all(works: Mapping[str, Awaitable[T]]) -> dict[str, T | ProviderError]:
    """Wait for all; errors of the port are answers, any other is raised when all are over."""
    answers: dict[str, T | ProviderError] = {}
    told = await asyncio.gather(*works.values(), return_exceptions=True)
    for key, answer in zip(works, told, strict=True):
        if isinstance(answer, BaseException) and not isinstance(answer, ProviderError):
            raise answer
        answers[key] = answer
    return answers


def _is_tiring(ack: Ack) -> bool:
    return ack.failure is not None and ack.failure.failure_class in TIRING


def _failure(error: ProviderError) -> Failure:
    """Give the answer to an order of a call that went wrong as a whole."""
    match error:
        case ProviderThrottled():
            return Failure(FailureClass.THROTTLED, str(error))
        case Unsupported():
            return Failure(FailureClass.INVALID, str(error), 0.0, Refusal.UNSUPPORTED)
        case ProviderRefused():
            return Failure(FailureClass.INVALID, str(error))
    return Failure(FailureClass.INTERNAL, str(error))
