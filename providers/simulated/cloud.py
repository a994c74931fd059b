"""The core of a simulated provider: orders, questions and events, each with the time it comes.

Pure but for its own state: no clock, no chance from outside, nothing awaited. A service puts
``provider.SimulatedProvider`` over it, a simulation on a simulated clock calls it as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from models.errors import ProviderThrottled, ProviderUnavailable, Unsupported
from models.machine import Operation
from models.rows import FleetRows
from providers.bucket import Bucket
from providers.contract.desk import answered
from providers.contract.fencing import Fences
from providers.listing import Page
from providers.machine import Health
from providers.orders import Ack, Fence, Order
from providers.port import Found
from providers.simulated import happenings, prices
from providers.simulated.books import RPC, SimulatedBooks, machine_of
from providers.simulated.knobs import Knobs, Match
from providers.simulated.limits import Uses, call_bucket
from providers.simulated.lists import pages_of
from providers.simulated.passing import begin_world, pass_until
from providers.simulated.rules import first_listing, matching
from providers.simulated.slots import withdraw
from providers.simulated.world import Rows, World
from providers.simulated.world_of_rows import world_of

Names = list[str]


@dataclass(frozen=True, slots=True)
class Call:
    """One machine of a mutating call that the provider received; ``error`` is "" where it began."""

    time: float
    rpc: str
    machine: str
    error: str


@dataclass(slots=True)
class SimulatedCloud:
    """A world with its knobs. Times never go back; an earlier one counts as the last.

    Attributes
    ----------
    calls
        Every machine of every mutating call, in order; only where ``records`` is set.
    """

    name: str
    books: SimulatedBooks
    records: bool = False
    calls: list[Call] = field(default_factory=list)
    fences: Fences = field(default_factory=Fences)
    tokens: Bucket = field(init=False)
    walk: prices.Walk | None = field(init=False)
    slots: dict[Match, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        knobs = self.books.knobs
        self.tokens = call_bucket(knobs.rate)
        self.walk = prices.Walk(knobs.prices) if knobs.prices else None

    @classmethod
    def of(
        cls, rows: FleetRows, provider: str, knobs: Knobs, seed: int, now: float, *,
        records: bool = False,
    ) -> "SimulatedCloud":  # fmt: skip
        """Give the machines of one provider of a fleet, as they stand ``now``.

        Errors as of ``world_of``.
        """
        books = SimulatedBooks(provider, world_of(rows, provider, now), knobs, seed, now, now)
        begin_world(books, now)
        return cls(provider, books, records)

    @property
    def world(self) -> World:
        """Give the truth about all machines."""
        return self.books.world

    def advance(self, now: float) -> None:
        """Let all happen that happens by itself until ``now``."""
        self._pass(now, is_included=True)

    def _pass(self, now: float, *, is_included: bool) -> None:
        """Let time go by. What an event of the world does comes before what happens then anyway."""
        self.books.now = max(now, self.books.now)
        pass_until(self.books, self.books.now, is_included=is_included)
        if self.walk is not None:
            self.walk.go(self.world, self.books.seed, self.name, self.books.now - self.books.began)
        self._recount()

    def _recount(self) -> None:
        if self.slots and not self.world.is_recounted:
            withdraw(self.world, self.slots)

    def order(
        self, operation: Operation, fence: Fence, orders: Sequence[Order], now: float
    ) -> list[Ack]:
        """Take one lifecycle call; errors as of the port."""
        self.advance(now)
        if operation is Operation.DELETE and self.books.knobs.no_delete:
            self._record(operation, orders, ["UNIMPLEMENTED"] * len(orders))
            raise Unsupported(self.name, "there is no Delete: the machines are paid for anyway.")
        if not self.tokens.take(1, self.books.now):
            self._record(operation, orders, ["THROTTLED"] * len(orders))
            said = f"{self.books.knobs.rate.calls:g} calls a second are taken; more came."
            raise ProviderThrottled(self.name, said, self.tokens.wait(1, self.books.now))
        self.books.uses = Uses(self.books.knobs)
        acks = answered(orders, fence, self.fences, self.books)
        errors = [ack.failure.failure_class.name if ack.failure else "" for ack in acks]
        self._record(operation, orders, errors)
        # What takes no time is over before anybody asks.
        pass_until(self.books, self.books.now)
        self._recount()
        return acks

    def get(self, machines: Sequence[str], now: float) -> Found:
        """Say how some machines stand."""
        self.advance(now)
        rows = {machine: self.books.row(machine) for machine in machines}
        known = {
            m: row for m, row in rows.items() if row is not None and not self.world.is_dead[row]
        }
        return Found(
            tuple(machine_of(self.world, known[m]) for m in machines if m in known),
            tuple(m for m in machines if m not in known),
        )

    def list(
        self, cursor: str, now: float, *, shard: str = "", columnar: bool = False
    ) -> Iterator[Page]:
        """Give a List in pages; errors as of the port."""
        self.advance(now)
        return self._pages(cursor, shard, columnar=columnar)

    def _pages(self, cursor: str, shard: str, *, columnar: bool) -> Iterator[Page]:
        lie = first_listing(self.books.knobs.list, self.books.now - self.books.began)
        if lie is not None and lie.returns == "error":
            raise ProviderUnavailable(self.name, "the List failed.")
        era = f"{self.name}@{self.books.began!r}"
        return pages_of(self.world, era, cursor, shard, lie, columnar=columnar)

    def health(self, machine: str, now: float) -> Health | None:
        """Say what the board beside a machine tells of it; None of one that is not listed.

        A node that is dead to all others has its board still; a slot without a host has none.
        """
        self.advance(now)
        row = self.books.row(machine)
        if row is None:
            return None
        return machine_of(self.world, row).health if self.world.hosts[row] else Health.UNKNOWN

    def reclaim(self, match: Match, fraction: float, notice: float, now: float) -> Names:
        """Take back a part of the elastic machines that match; give their ids."""
        self._pass(now, is_included=False)
        return self._names(happenings.reclaim(self.books, match, fraction, notice, self.books.now))

    def set_quota(self, match: Match, count: int, now: float) -> None:
        """Let there be so many slots of those that match, from now on."""
        self._pass(now, is_included=False)
        self.slots[match] = count
        withdraw(self.world, self.slots)

    def kill(self, match: Match, now: float) -> Names:
        """Let nodes vanish; give their ids."""
        self._pass(now, is_included=False)
        return self._names(happenings.kill(self.world, match))

    def set_health(self, match: Match, health: Health, now: float) -> Names:
        """Let machines report another health; give their ids."""
        self._pass(now, is_included=False)
        return self._names(happenings.set_health(self.world, match, health))

    def add_orphan(self, machine: str, like: str, now: float) -> None:
        """Add a machine that nobody ordered. Errors as of ``happenings.add_orphan``."""
        self._pass(now, is_included=False)
        happenings.add_orphan(self.world, machine, like)

    def set_price(self, match: Match, price: float | None, now: float) -> None:
        """Give the machines that match another price."""
        self._pass(now, is_included=False)
        prices.set_price(self.world, matching(self.world, match), price)

    def _names(self, rows: Rows) -> Names:
        return [self.world.name(row) for row in rows.tolist()]

    def _record(self, operation: Operation, orders: Sequence[Order], errors: Sequence[str]) -> None:
        if self.records:
            now, rpc = self.books.now, RPC[operation]
            pairs = zip(orders, errors, strict=True)
            self.calls += [Call(now, rpc, order.machine, error) for order, error in pairs]
