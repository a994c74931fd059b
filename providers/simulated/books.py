"""What an order does to a simulated world, as ``contract.desk`` asks for it."""

from dataclasses import dataclass, field
from math import inf, isfinite, nan

from models.failure import FailureClass
from models.machine import Operation, State
from providers.columns import HEALTHS, NO_STATE
from providers.contract.begin import TARGETS, Begin, Standing
from providers.contract.fencing import Owner
from providers.machine import Failure, Health, Machine
from providers.orders import OPERATION_OF, ConfigureOrder, DrainOrder, Fence, Order
from providers.simulated.draws import expected, seconds, uniform
from providers.simulated.knobs import Fail, Knobs, Time
from providers.simulated.limits import Bucket, machine_bucket, over_limit
from providers.simulated.rules import first_fail
from providers.simulated.world import World

RPC = {
    Operation.CREATE: "create",
    Operation.CONFIGURE: "configure",
    Operation.DRAIN: "drain",
    Operation.DELETE: "delete",
}


@dataclass(slots=True)
class SimulatedBooks:
    """A world, its knobs, and the time at which orders come; whoever calls sets ``now`` first.

    ``began`` is the zero of the knobs' times. Before ``next_at`` nothing happens by itself.
    """

    name: str
    world: World
    knobs: Knobs
    seed: int
    now: float = 0.0
    began: float = 0.0
    next_at: float = 0.0
    machines: Bucket = field(init=False)

    def __post_init__(self) -> None:
        self.machines = machine_bucket(self.knobs.rate)

    def standing(self, machine: str) -> tuple[Standing, Owner] | None:
        """See ``Books``."""
        world, row = self.world, self.row(machine)
        if row is None:
            return None
        left = float(world.grace[row]) - self.now
        standing = Standing(
            _state(int(world.state[row])),
            world.classes[int(world.class_index[row])].capacity_type,
            world.words.listed[int(world.cluster[row])],
            world.words.listed[int(world.reservation[row])],
            _state(int(world.failed_from[row])),
            left if left > 0 else 0.0,
        )
        return standing, Owner(world.words.listed[int(world.shard[row])], int(world.version[row]))

    def snapshot(self, machine: str) -> Machine | None:
        """See ``Books``."""
        row = self.row(machine)
        return None if row is None else machine_of(self.world, row)

    def row(self, machine: str) -> int | None:
        """Find a machine that is listed."""
        row = self.world.row(machine)
        return row if row is not None and self.world.is_listed[row] else None

    def act(self, order: Order, begin: Begin, fence: Fence) -> Failure | None:
        """See ``Books``."""
        row = self.row(order.machine)
        assert row is not None, "the desk asks only of machines that have a standing"
        fail: Fail | None = None
        if begin is Begin.NEW:
            rpc = RPC[OPERATION_OF[type(order)]]
            fail = first_fail(self.world, row, rpc, self.knobs.fail, self.now - self.began)
            failure = self._refused(row, rpc, fail)
            if failure is not None:
                return failure
        self._tag(row, order, begin, fence)
        match begin:
            case Begin.NEW:
                self._start(row, order, is_hung=fail is not None)
            case Begin.SHORTEN:
                assert isinstance(order, DrainOrder)
                self.world.grace[row] = self.now + order.grace_seconds
                self.world.ends[row] = min(self.world.ends[row], self.world.grace[row])
                self.next_at = min(self.next_at, float(self.world.ends[row]))
            case Begin.RELEASE:
                self.world.settle(row, State.IDLE, self.now)
        self.world.touch(row)
        return None

    def _refused(self, row: int, rpc: str, fail: Fail | None) -> Failure | None:
        """Say why an order cannot begin now, or None."""
        if not self.machines.take(self.now):
            said = f"{self.knobs.rate.machines:g} machines a second are taken; more came."
            return Failure(FailureClass.THROTTLED, said, self.now)
        if fail is not None and fail.kind == "late":
            self.world.late[row] = self.now + fail.after
            self.next_at = min(self.next_at, self.now + fail.after)
            return Failure(FailureClass.INTERNAL, "the call ended without an answer.", self.now)
        if fail is not None and isinstance(fail.kind, FailureClass):
            return Failure(fail.kind, f"{rpc} is refused: {fail.kind}.", self.now)
        return over_limit(self.world, row, self.knobs, self.now) if rpc == "create" else None

    def _tag(self, row: int, order: Order, begin: Begin, fence: Fence) -> None:
        """Keep whose the machine is, and what for."""
        world = self.world
        world.shard[row] = world.words.number(fence.shard)
        world.version[row] = order.ownership_version
        is_drain = isinstance(order, DrainOrder)
        reservation = getattr(order, "reservation", None)
        if reservation is not None and (begin is not Begin.REPEAT or is_drain):
            world.reservation[row] = world.words.number(reservation)
        if isinstance(order, ConfigureOrder) and begin is Begin.NEW:
            world.cluster[row] = world.words.number(order.cluster)

    def _start(self, row: int, order: Order, *, is_hung: bool) -> None:
        """Let an operation begin."""
        world, operation = self.world, OPERATION_OF[type(order)]
        rpc = RPC[operation]
        time: Time = getattr(self.knobs, rpc)
        world.operation[row] += 1
        chance = uniform(self.seed, self.name, world.name(row), rpc, int(world.operation[row]))
        world.state[row], world.since[row] = TARGETS[operation][0], self.now
        world.failed_from[row] = NO_STATE
        world.failures.pop(row, None)
        takes = seconds(time, chance)
        world.ready[row] = self.now + expected(time)
        world.gives_up[row] = self.now + getattr(self.knobs.timeouts, rpc)
        world.grace[row] = nan
        if isinstance(order, DrainOrder):
            takes = min(takes, order.grace_seconds)
            world.grace[row] = self.now + order.grace_seconds
        world.ends[row] = inf if is_hung else self.now + takes
        self.next_at = min(self.next_at, float(world.ends[row]), float(world.gives_up[row]))


def machine_of(world: World, row: int) -> Machine:
    """Give one machine of a world as it stands."""
    words, due = world.words.listed, float(world.due[row])
    name, count = world.name(row), int(world.operation[row])
    return Machine(
        id=name,
        state=_state(int(world.state[row])),
        kind=world.classes[int(world.class_index[row])],
        shard=words[int(world.shard[row])],
        ownership_version=int(world.version[row]),
        cluster=words[int(world.cluster[row])],
        reservation=words[int(world.reservation[row])],
        host=bytes(world.hosts[row]).decode(),
        labels=world.all_labels(row),
        health=Health.DEAD if world.is_dead[row] else HEALTHS[int(world.health[row])],
        state_since=float(world.since[row]),
        estimated_ready=_time(float(world.ready[row])),
        reclaim_at=_time(due) if world.noticed[row] else None,
        operation=operation_of(name, count),
        last_failure=world.failures.get(row),
        failed_from=_state(int(world.failed_from[row])),
        revision=int(world.revision[row]),
    )


def operation_of(machine: str, count: int) -> str:
    """Name the operation that a machine is at; "" before the first."""
    return f"{machine}#{count}" if count else ""


def _state(code: int) -> State | None:
    return None if code == NO_STATE else State(code)


def _time(seconds: float) -> float | None:
    return seconds if isfinite(seconds) else None
