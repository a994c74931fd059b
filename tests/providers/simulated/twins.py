"""The same things done to a cloud in columns and to one in a dictionary, and compared."""

from math import inf

from models.failure import FailureClass
from models.machine import CapacityType, MachineRow, Operation, State
from models.rows import FleetRows
from providers.columns import machines_of
from providers.machine import Machine
from providers.orders import ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence
from providers.simulated.cloud import SimulatedCloud
from providers.simulated.knobs import Match, knobs_from
from tests.providers.simulated.slow_cloud import Slow, SlowCloud

NAMES = ("a", "ab", "機")
RPCS = ("create", "configure", "drain", "delete")
FENCE = Fence("s0", 1, 1)
CLASSES = ("CAPACITY", "IP", "hang", "late")

NEXT = {
    "SPECULATIVE": Operation.CREATE,
    "CREATING": Operation.CREATE,
    "IDLE": Operation.CONFIGURE,
    "CONFIGURING": Operation.CONFIGURE,
    "CONFIGURED": Operation.DRAIN,
    "DRAINING": Operation.DRAIN,
    "FAILED CREATING": Operation.DELETE,
    "FAILED CONFIGURING": Operation.DRAIN,
    "FAILED DRAINING": Operation.DRAIN,
    "FAILED DELETING": Operation.DELETE,
}
"""What a machine's life goes on with: random orders seldom get beyond its first state."""


class Twins:
    """``takes`` and ``limits`` of each of ``RPCS``; ``fails`` as of ``SlowCloud``."""

    def __init__(self, takes, limits, fails, quota):
        known = dict(zip(RPCS, takes, strict=True))
        given = {rpc: at for rpc, at in zip(RPCS, limits, strict=True) if at < inf}
        told = {**known, "timeouts": given, "fail": [rule_of(fail) for fail in fails]}
        if quota < inf:
            told["quotas"] = [{"count": int(quota)}]
        rows = [MachineRow(name, CapacityType.SPOT, provider="p") for name in NAMES]
        fleet = FleetRows(machines=rows)
        self.fast = SimulatedCloud.of(fleet, "p", knobs_from(told), 0, 0.0)
        machines = {name: Slow(name) for name in NAMES}
        limits = dict(zip(RPCS, limits, strict=True))
        self.slow = SlowCloud(machines, known, limits, fails, quota)
        self.now = 0.0
        self.cursor, self.known = "", dict[str, Machine]()

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.fast.advance(self.now)
        self.slow.advance(self.now)

    def reclaim(self, notice: float) -> None:
        taken = self.slow.reclaim(notice, self.now)
        assert sorted(self.fast.reclaim(Match(), 1.0, notice, self.now)) == taken

    def order(self, rpc: Operation, names, cluster: str, reservation: str, grace: int) -> None:
        """Order the same of several machines in one call."""
        orders = [order_of(rpc, name, cluster, reservation, grace) for name in names]
        self.slow.advance(self.now)
        wanted = [self.slow.order(rpc.lower(), name, cluster, reservation, grace) for name in names]
        self.slow.advance(self.now)
        acks = self.fast.order(rpc, FENCE, orders, self.now)
        assert [said(ack.failure) for ack in acks] == wanted

    def go_on(self, name: str, grace: int) -> None:
        step = NEXT.get(self.slow.machines[name].state)
        if step is not None:
            self.order(step, [name], "c", "c/n", grace)

    def compare(self) -> None:
        """Both stand alike, and whoever reads only what changed knows all of it."""
        self.slow.advance(self.now)
        for page in self.fast.list(self.cursor, self.now, columnar=True):
            if page.columns is not None:
                self.known |= {each.id: each for each in machines_of(page.columns)}
            if page.end is not None:
                self.cursor = page.end.cursor
        found = self.fast.get(NAMES, self.now)
        assert found.machines == tuple(self.known[name] for name in NAMES)
        for machine in found.machines:
            assert_alike(machine, self.slow.machines[machine.id])


def assert_alike(machine: Machine, slow: Slow) -> None:
    state = machine.state.name
    if machine.state is State.FAILED:
        state += f" {machine.failed_from.name}"
        assert machine.last_failure.failure_class is FailureClass.INTERNAL
        assert machine.last_failure.at == machine.state_since
    told = (state, machine.cluster, machine.reservation, machine.state_since, machine.reclaim_at)
    assert told == (slow.state, slow.cluster, slow.reservation, slow.since, slow.due)
    assert bool(machine.host) == slow.host
    assert (machine.estimated_ready is not None) == (slow.ends is not None)
    assert machine.operation == (f"{machine.id}#{slow.operation}" if slow.operation else "")


def order_of(rpc, name, cluster, reservation, grace):
    match rpc:
        case Operation.CREATE:
            return CreateOrder(name, 0, reservation)
        case Operation.CONFIGURE:
            return ConfigureOrder(name, cluster, 0, reservation)
        case Operation.DRAIN:
            return DrainOrder(name, grace, 0, reservation)
        case _:
            return DeleteOrder(name)


def said(failure) -> str:
    if failure is None:
        return ""
    return failure.refusal.name if failure.refusal else failure.failure_class.name


def rule_of(fail):
    rpc, glob, what, since, until, after = fail
    told = {"rpc": rpc, "match": {"id": glob}, "class": what, "from": since}
    told |= {"until": until} if until < inf else {}
    return told | ({"after": after} if what == "late" else {})
