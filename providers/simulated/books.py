"""What an order does to a simulated world, as ``contract.desk`` asks for it."""

from dataclasses import dataclass, field
from math import inf, isfinite, nan

import numpy as np

from models.failure import FailureClass
from models.machine import Operation, State
from providers.bucket import Bucket
from providers.columns import HEALTHS, NO_STATE
from providers.contract.begin import TARGETS, Begin, Standing
from providers.contract.fencing import Owner
from providers.machine import Failure, Health, Machine
from providers.orders import OPERATION_OF, ConfigureOrder, DrainOrder, Fence, Order
from providers.simulated.draws import expected, seconds, uniform
from providers.simulated.knobs import Fail, Knobs, Time
from providers.simulated.limits import Uses, machine_bucket
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

    ``began`` is the zero of the knobs' times. ``machines`` are the tokens of each kind of call;
    ``uses`` is good for one call: whoever calls makes it anew.
    """

    name: str
    world: World
    knobs: Knobs
    seed: int
    now: float = 0.0
    began: float = 0.0
    machines: dict[str, Bucket] = field(init=False)
    uses: Uses = field(init=False)

    def __post_init__(self) -> None:
        self.machines = {rpc: machine_bucket(self.knobs.rate) for rpc in RPC.values()}
        self.uses = Uses(self.knobs)

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
        owner = self.world.shard[row]
        is_told_anew = self._tag(row, order, begin, fence)
        match begin:
            case Begin.NEW:
                self._start(row, order, is_hung=fail is not None)
            case Begin.SHORTEN:
                assert isinstance(order, DrainOrder)
                self._shorten(row, self.now + order.grace_seconds)
            case Begin.RELEASE:
                self.world.settle(row, State.IDLE, self.now)
        if is_told_anew or begin is not Begin.REPEAT:
            self.world.touch(row)
        if owner != self.world.shard[row]:
            self.world.moved[row] = self.world.now_revision
        return None

    def _refused(self, row: int, rpc: str, fail: Fail | None) -> Failure | None:
        """Say why an order cannot begin now, or None."""
        if not self.machines[rpc].take(1, self.now):
            said = f"{self.knobs.rate.machines:g} machines a second are taken; more came."
            return Failure(FailureClass.THROTTLED, said, self.now)
        if fail is not None and fail.kind == "late":
            # A repeat does not put off what is on its way.
            self.world.late[row] = np.fmin(self.world.late[row], self.now + fail.after)
            self.world.schedule(row)
            return Failure(FailureClass.INTERNAL, "the call ended without an answer.", self.now)
        if fail is not None and isinstance(fail.kind, FailureClass):
            return Failure(fail.kind, f"{rpc} is refused: {fail.kind}.", self.now)
        return self.uses.refusal(self.world, row, self.now) if rpc == "create" else None

    def _tag(self, row: int, order: Order, begin: Begin, fence: Fence) -> bool:
        """Keep whose the machine is, and what for; tell whether that is another than before."""
        world = self.world
        before = (world.shard[row], world.version[row], world.reservation[row])
        world.shard[row] = world.words.number(fence.shard)
        world.version[row] = order.ownership_version
        is_drain = isinstance(order, DrainOrder)
        reservation = getattr(order, "reservation", None)
        if reservation is not None and (begin is not Begin.REPEAT or is_drain):
            world.reservation[row] = world.words.number(reservation)
        if isinstance(order, ConfigureOrder) and begin is Begin.NEW:
            world.cluster[row] = world.words.number(order.cluster)
        return before != (world.shard[row], world.version[row], world.reservation[row])

    def _start(self, row: int, order: Order, *, is_hung: bool) -> None:
        """Let an operation begin."""
        world, operation = self.world, OPERATION_OF[type(order)]
        if operation is Operation.CREATE:
            self.uses.add(world, row)
        world.operation[row] += 1
        world.state[row], world.since[row] = TARGETS[operation][0], self.now
        world.failed_from[row] = NO_STATE
        world.failures.pop(row, None)
        let_run(self, row, RPC[operation], self.now)
        if isinstance(order, DrainOrder):
            self._shorten(row, self.now + order.grace_seconds)
        if is_hung:
            world.ends[row] = inf

    def _shorten(self, row: int, grace: float) -> None:
        """Let a drain end with its grace at the latest; one that hangs hangs on."""
        world = self.world
        world.grace[row] = grace
        if world.ends[row] < inf:
            world.ends[row] = min(float(world.ends[row]), grace)
        world.ready[row] = min(float(world.ready[row]), grace)


def let_run(books: SimulatedBooks, row: int, rpc: str, since: float) -> None:
    """Say when a transition that runs since then will be over, and when it is given up."""
    world, knobs = books.world, books.knobs
    time: Time = getattr(knobs, rpc)
    chance = uniform(books.seed, books.name, world.name(row), rpc, int(world.operation[row]))
    world.ends[row] = since + seconds(time, chance)
    world.ready[row] = since + expected(time)
    world.gives_up[row] = since + getattr(knobs.timeouts, rpc)
    world.grace[row] = nan


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
