"""The provider under test, and the machines that a check may do something with."""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import inf

from models.errors import Fault, InputFault, ProviderError
from models.machine import State
from providers.conformance.caller import Caller, turns
from providers.conformance.listed import Listed, listed
from providers.conformance.settings import ROLE_LABEL, SHARD, KitSettings, Role
from providers.conformance.verdict import Broken, CannotTell
from providers.machine import Health, Machine
from providers.orders import Ack, ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence, Order

OTHER_SHARD = f"{SHARD}-other"
NEXT_SHARD = f"{SHARD}-next"
KIT_SHARDS = frozenset({SHARD, OTHER_SHARD, NEXT_SHARD})
RESERVATION = "bigfleet-conformance/need"


@dataclass(slots=True)
class Ground:
    """What checks stand on.

    Attributes
    ----------
    first
        The machines that the kit may use, as they were found; ``why_none`` says why there is none.
    unread
        Why the List could not be read by which machines are chosen.
    last
        The same, as they were seen last.
    aside
        Machines that did not go where they should, with the reason: not used any more.
    used
        Machines that orders were sent for.
    page_size
        Few machines a page, so that a List has many, but not so many that it takes for ever.
    """

    caller: Caller
    settings: KitSettings
    first: dict[str, Machine] = field(default_factory=dict)
    last: dict[str, Machine] = field(default_factory=dict)
    roles: dict[Role, str] = field(default_factory=dict)
    aside: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    page_size: int = 2
    why_none: str = "no List has been read"
    unread: Broken | ProviderError | None = None

    async def discover(self) -> list[Machine]:
        """Choose machines: of those that could be made real the cheapest, and those that idle.

        Gives all that are listed.
        """
        try:
            told = (await listed(self.caller)).machines
        except (Broken, ProviderError) as error:
            self.why_none, self.unread = f"the List fails: {error}", error
            return []
        self.page_size = max(2, len(told) // 50)
        by_id = {machine.id: machine for machine in told}
        self._give_roles(told)
        chosen = chosen_of(told, self.settings, set(self.roles.values()))
        for name in (*(machine.id for machine in chosen), *self.roles.values()):
            if name in by_id:
                self.first[name] = self.last[name] = by_id[name]
        self.why_none = (
            f"{len(told)} machines are listed, and none of them is SPECULATIVE and elastic, or "
            "IDLE, without an owner, and may be used"
        )
        return told

    def check_named(self) -> None:
        """Raise ``InputFault`` where a machine that was asked for is not there to be used."""
        if self.unread is not None:
            return
        faults = [
            Fault(f"--role {role}={name}", "no such machine is listed.")
            for role, name in self.settings.roles
            if name not in self.first
        ]
        if self.settings.machines is not None and not self.pool():
            faults.append(Fault(f"--machines {self.settings.machines}", f"{self.why_none}."))
        if faults:
            raise InputFault(faults)

    def _give_roles(self, told: Iterable[Machine]) -> None:
        labelled = [(machine.labels.get(ROLE_LABEL, ""), machine.id) for machine in told]
        said = [(Role(text), name) for text, name in labelled if text in list(Role)]
        for role, name in (*self.settings.roles, *said):
            self.roles.setdefault(role, name)

    def role(self, role: Role) -> str:
        """Give the machine that has a role; ``CannotTell`` where none has."""
        name = self.roles.get(role)
        if name is None:
            label = f"{ROLE_LABEL}: {role}"
            raise CannotTell(f"no machine has the label {label}, nor --role {role}=ID")
        return name

    def pool(self) -> list[str]:
        """Give the machines that checks may use."""
        special = set(self.roles.values())
        return [name for name in self.first if name not in special and name not in self.aside]

    # Orders.

    def version(self, machine: str) -> int:
        """Give the ownership version of the next order: the machine's, or one more to own it."""
        last = self.last.get(machine)
        if last is None:
            return 1
        return max(last.ownership_version + (last.shard != self.caller.shard), 1)

    def create(self, machine: str, reservation: str = RESERVATION) -> CreateOrder:
        """Give an order to make a machine real."""
        return CreateOrder(machine, self.version(machine), reservation)

    def configure(
        self, machine: str, cluster: str = "", reservation: str = RESERVATION
    ) -> ConfigureOrder:
        """Give an order to configure a machine, for the kit's cluster unless another is given."""
        cluster = cluster or self.settings.cluster
        blob = self.settings.user_data
        return ConfigureOrder(machine, cluster, self.version(machine), reservation, blob)

    def drain(self, machine: str, grace_seconds: int = 0, reservation: str = "") -> DrainOrder:
        """Give an order to drain a machine."""
        return DrainOrder(machine, grace_seconds, self.version(machine), reservation)

    def delete(self, machine: str) -> DeleteOrder:
        """Give an order to give a machine back."""
        return DeleteOrder(machine, self.version(machine))

    async def send(self, orders: Sequence[Order], fence: Fence | None = None) -> list[Ack]:
        """Send orders of one kind, under the next fence unless another is given."""
        self.used.update(order.machine for order in orders if order.machine in self.first)
        acks = await self.caller.send(orders, fence)
        for ack in acks:
            if ack.failure is None and ack.snapshot is not None and ack.machine in self.last:
                self.last[ack.machine] = ack.snapshot
        return acks

    async def ask(self, order: Order, fence: Fence | None = None) -> Ack:
        """Send one order."""
        [ack] = await self.send([order], fence)
        return ack

    # Looking.

    async def look(self, machines: Collection[str]) -> dict[str, Machine]:
        """Get machines of the pool; ``Broken`` where one of them is not known."""
        names = list(machines)
        found = await self.caller.patient(lambda: self.caller.provider.get(names))
        told = {machine.id: machine for machine in found.machines}
        missing = [name for name in names if name not in told]
        if missing:
            raise Broken(f"Get to know {missing[0]!r}, which List gave", "it is unknown")
        self.last.update((name, told[name]) for name in names if name in self.first)
        return {name: told[name] for name in names}

    async def one(self, machine: str) -> Machine:
        """Get one machine."""
        return (await self.look([machine]))[machine]

    async def watch(self, machine: str) -> AsyncIterator[Machine]:
        """Get a machine again and again, for as long as a transition may take."""
        async for _ in turns(self.settings.seconds):
            yield await self.one(machine)

    async def until(self, machine: str, state: State) -> Machine:
        """Wait until a machine is in a state; ``Broken`` where it fails, or takes too long."""
        seen: Machine | None = None
        async for seen in self.watch(machine):
            if seen.state is state:
                return seen
            if seen.state is State.FAILED:
                break
        raise Broken(f"{machine!r} to become {state.name}", shown(seen, self.settings.seconds))

    async def listed(
        self, cursor: str = "", *, shard: str = "", page_size: int = 0, columnar: bool = False
    ) -> Listed:
        """Read a whole List."""
        return await listed(
            self.caller, cursor, shard=shard, page_size=page_size, columnar=columnar
        )


def shown(machine: Machine | None, seconds: float) -> str:
    """Say how a machine stands that did not get where it should."""
    if machine is None:
        return "nothing"
    if machine.state is State.FAILED:
        failure = machine.last_failure
        return f"FAILED: {failure.message if failure else 'no reason given'}"
    return f"still {machine.state.name if machine.state else 'unknown'} after {seconds:g} s"


def chosen_of(
    told: Iterable[Machine], settings: KitSettings, special: Collection[str]
) -> list[Machine]:
    """Give the machines that a kit may use: cheap ones that can be given back, and idle ones."""
    usable = [
        machine
        for machine in told
        if (not machine.shard or machine.shard in KIT_SHARDS)
        and machine.id not in special
        and ROLE_LABEL not in machine.labels
        and machine.health is not Health.DEAD
        and machine.reclaim_at is None
        and fnmatchcase(machine.id, settings.machines or "*")
    ]
    slots = [
        machine
        for machine in usable
        if machine.state is State.SPECULATIVE
        and (machine.kind.capacity_type.is_elastic or settings.machines is not None)
    ]
    idle = [machine for machine in usable if machine.state is State.IDLE]
    fixed = [machine for machine in idle if not machine.kind.capacity_type.is_elastic]
    elastic = [machine for machine in idle if machine.kind.capacity_type.is_elastic]
    slots.sort(key=_price)
    room = max(settings.most - len(slots), 2)
    return [*slots[: settings.most], *(*fixed, *elastic)[:room]]


def _price(machine: Machine) -> float:
    price = machine.kind.price_per_hour
    return inf if price is None else price
