"""The cloud in columns does what the cloud in a dictionary does, event by event."""

from math import inf

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from models.machine import CapacityType, MachineRow, Operation, State
from models.rows import FleetRows
from providers.orders import ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence
from providers.simulated.cloud import SimulatedCloud
from providers.simulated.knobs import Knobs
from tests.providers.simulated.slow_cloud import Slow, SlowCloud

NAMES = ["a", "ab"]
FENCE = Fence("s0", 1, 1)
SECONDS = st.sampled_from([0.0, 1.0, 2.0, 5.0])
LIMITS = st.sampled_from([inf, 3.0, 4.0])
CLASSES = ["CAPACITY", "IP", "hang", "late"]
fails = st.tuples(
    st.sampled_from(["create", "configure", "drain", "delete"]),
    st.sampled_from(["*", "?", "ab"]),
    st.sampled_from(CLASSES),
    st.sampled_from([0.0, 3.0]),
    st.sampled_from([6.0, inf]),
    st.sampled_from([1.0, 7.0]),
).filter(lambda fail: fail[0] == "create" or fail[2] != "late")


NEXT = {
    "SPECULATIVE": Operation.CREATE,
    "CREATING": Operation.CREATE,
    "IDLE": Operation.CONFIGURE,
    "CONFIGURING": Operation.CONFIGURE,
    "CONFIGURED": Operation.DRAIN,
    "DRAINING": Operation.DRAIN,
    "FAILED": Operation.DELETE,
}


def rule_of(fail):
    rpc, glob, what, since, until, after = fail
    told = {"rpc": rpc, "match": {"id": glob}, "class": what, "from": since}
    told |= {"until": until} if until < inf else {}
    return told | ({"after": after} if what == "late" else {})


class Clouds(RuleBasedStateMachine):
    @initialize(
        takes=st.tuples(SECONDS, SECONDS, SECONDS, SECONDS),
        limits=st.tuples(LIMITS, LIMITS, LIMITS, LIMITS),
        broken=st.lists(fails, max_size=3),
    )
    def begin(self, takes, limits, broken):
        rpcs = ("create", "configure", "drain", "delete")
        known = dict(zip(rpcs, takes, strict=True))
        given = {rpc: at for rpc, at in zip(rpcs, limits, strict=True) if at < inf}
        knobs = Knobs.model_validate(
            {**known, "timeouts": given, "fail": [rule_of(fail) for fail in broken]}
        )
        rows = [MachineRow(name, CapacityType.SPOT, provider="p") for name in NAMES]
        self.fast = SimulatedCloud.of(FleetRows(machines=rows), "p", knobs, 0, 0.0)
        slow = {name: Slow(name) for name in NAMES}
        self.slow = SlowCloud(slow, known, dict(zip(rpcs, limits, strict=True)), broken)
        self.now = 0.0

    @rule(seconds=st.sampled_from([0.0, 0.5, 1.0, 2.5, 8.0]))
    def wait(self, seconds):
        self.now += seconds
        self.fast.advance(self.now)
        self.slow.advance(self.now)

    @rule(
        rpc=st.sampled_from(list(Operation)[:4]),
        name=st.sampled_from(NAMES),
        cluster=st.sampled_from("cd"),
        reservation=st.sampled_from(["", "c/n"]),
        grace=st.sampled_from([0, 1, 4]),
    )
    def any_order(self, rpc, name, cluster, reservation, grace):
        self.order(rpc, name, cluster, reservation, grace)

    def order(self, rpc, name, cluster, reservation, grace):
        order = {
            Operation.CREATE: CreateOrder(name, 0, reservation),
            Operation.CONFIGURE: ConfigureOrder(name, cluster, 0, reservation),
            Operation.DRAIN: DrainOrder(name, grace, 0, reservation),
            Operation.DELETE: DeleteOrder(name),
        }[rpc]
        self.slow.advance(self.now)
        wanted = self.slow.order(rpc.lower(), name, cluster, reservation, grace)
        [ack] = self.fast.order(rpc, FENCE, [order], self.now)
        failure = ack.failure
        refusal = failure.refusal.name if failure and failure.refusal else None
        assert wanted == (refusal or (failure.failure_class.name if failure else ""))

    @rule(name=st.sampled_from(NAMES), grace=st.sampled_from([0, 1, 4]))
    def go_on(self, name, grace):
        """Order what a machine's life goes on with: random orders seldom get beyond its first."""
        state = self.slow.machines[name].state.split()[0]
        step = NEXT.get(state)
        if step is not None:
            self.order(step, name, "c", "c/n", grace)

    @invariant()
    def they_stand_alike(self):
        if not hasattr(self, "fast"):
            return
        for machine in self.fast.get(NAMES, self.now).machines:
            slow = self.slow.machines[machine.id]
            state = machine.state.name
            state += f" {machine.failed_from.name}" if machine.state is State.FAILED else ""
            assert (state, machine.cluster, machine.reservation, bool(machine.host)) == (
                slow.state, slow.cluster, slow.reservation, slow.host,
            )  # fmt: skip
            count = int(machine.operation.partition("#")[2] or 0)
            assert count == slow.operation


TestClouds = Clouds.TestCase
TestClouds.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
