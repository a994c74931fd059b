"""The plainest provider that keeps the port: a ledger whose transitions end when told to."""

from models.machine import CapacityType, State
from providers.contract.ledger import Ledger
from providers.machine import Failure, Machine, MachineClass
from providers.orders import CreateOrder, Order

SPOT = MachineClass(CapacityType.SPOT, "t", 1.5, 0.01, {"cpu": 8000})


def slots(count: int, kind: MachineClass = SPOT) -> dict[str, Machine]:
    """Give speculative machines m0, m1, ..."""
    return {f"m{n}": Machine(f"m{n}", State.SPECULATIVE, kind) for n in range(count)}


class MemoryProvider(Ledger):
    """``refuses`` gives the failure of the next orders by machine; ``bought`` counts Creates."""

    def __init__(self, machines: dict[str, Machine], revision: int = 0) -> None:
        super().__init__("memory", machines, self.buy, lambda: 0.0, revision=revision)
        self.refuses: dict[str, Failure] = {}
        self.bought: dict[str, int] = {}

    def buy(self, order: Order, machine: Machine) -> Failure | None:
        """Begin nothing: whoever tests says when it is over."""
        failure = self.refuses.get(machine.id)
        if failure is None and isinstance(order, CreateOrder):
            self.bought[machine.id] = self.bought.get(machine.id, 0) + 1
        return failure

    def end(self, *machines: str) -> None:
        """Let the transitions of some machines end, by default of all."""
        for name in machines or tuple(self.machines):
            self.ended(self.machines[name], f"host-{name}")
