"""A provider for tests whose transitions end by themselves, on the running loop."""

import asyncio
import time
from dataclasses import dataclass, field, replace

from models.machine import CapacityType, State
from providers.contract.ledger import Ledger
from providers.machine import Failure, Machine, MachineClass
from providers.orders import DrainOrder, Order

SPOT = MachineClass(CapacityType.SPOT, "t", 1.5, 0.01, {"cpu": 8000})
METAL = MachineClass(CapacityType.BARE_METAL, "m", 0.0, 0.0, {"cpu": 64000})


def world(slots: int = 6, racks: int = 1) -> dict[str, Machine]:
    """Give spot slots m0, m1, ..., idle servers r0, r1, ..., and a machine for each role."""
    label = "bigfleet.dev/conformance"
    unpriced = replace(SPOT, price_per_hour=None)
    machines = [
        *(Machine(f"m{n}", State.SPECULATIVE, SPOT) for n in range(slots)),
        *(Machine(f"r{n}", State.IDLE, METAL, host=f"rack-{n}") for n in range(racks)),
        Machine("hc", State.SPECULATIVE, SPOT, labels={label: "hang-create"}),
        Machine("hf", State.SPECULATIVE, SPOT, labels={label: "hang-configure"}),
        Machine("un", State.SPECULATIVE, unpriced, labels={label: "unpriced"}),
    ]
    return {machine.id: machine for machine in machines}


@dataclass
class Timed:
    """The work of a ledger: it takes ``seconds``; a drain takes as long as its grace allows.

    ``times_out``: after which the machines hc and hf, whose work never ends, are given up.
    """

    seconds: float = 0.02
    drain_seconds: float = 30.0
    times_out: float = 0.1
    ledger: Ledger = field(init=False)
    running: dict[str, asyncio.TimerHandle] = field(default_factory=dict)

    def __call__(self, order: Order, machine: Machine) -> Failure | None:
        loop, seconds = asyncio.get_running_loop(), self.seconds
        if isinstance(order, DrainOrder):
            seconds = max(min(self.drain_seconds, order.grace_seconds), seconds)
        hangs = (machine.id, machine.state) in {
            ("hc", State.CREATING),
            ("hf", State.CONFIGURING),
        }
        if machine.id in self.running:
            self.running.pop(machine.id).cancel()
        if hangs:
            said = f"{machine.id} took longer than {self.times_out} s."
            call = (self.times_out, self.ledger.failed, machine, said)
        else:
            call = (seconds, self.ledger.ended, machine, f"host-of-{machine.operation}")
        self.running[machine.id] = loop.call_later(*call)
        self.ledger.put(replace(machine, estimated_ready=self.ledger.clock() + seconds))
        return None


def timed(machines: dict[str, Machine] | None = None, work: Timed | None = None) -> Ledger:
    """Give a provider; hosts of new machines are named after their operation."""
    work = Timed() if work is None else work
    machines = world() if machines is None else machines
    work.ledger = Ledger("timed", machines, work, time.time)
    return work.ledger
