"""Small clouds for tests of one knob at a time."""

from dataclasses import replace

from models.machine import CapacityType, MachineRow, Operation, State
from models.rows import FleetRows
from providers.orders import ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence
from providers.simulated.cloud import SimulatedCloud
from providers.simulated.knobs import Match, knobs_from

FENCE = Fence("s0", 1, 1)
SPOT = MachineRow("s", CapacityType.SPOT, provider="p", instance_type="t")
ZONE = "topology.kubernetes.io/zone"


def slots(count: int, prefix: str = "s", **fields) -> list[MachineRow]:
    """Give speculative machines s0, s1, ..."""
    return [replace(SPOT, id=f"{prefix}{n}", **fields) for n in range(count)]


def hosts(count: int, prefix: str = "h", **fields) -> list[MachineRow]:
    """Give idle machines h0, h1, ..."""
    return [
        replace(SPOT, id=f"{prefix}{n}", host_ref=f"host-{n}", **{"state": State.IDLE} | fields)
        for n in range(count)
    ]


def cloud(rows: list[MachineRow], seed: int = 0, now: float = 0.0, **knobs) -> SimulatedCloud:
    """Give a cloud that keeps its calls."""
    fleet = FleetRows(machines=rows)
    return SimulatedCloud.of(fleet, "p", knobs_from(knobs), seed, now, records=True)


def errors(acks) -> list[str]:
    """Give what each order was refused with, "" for none."""
    return [ack.failure.failure_class.name if ack.failure else "" for ack in acks]


def create(world: SimulatedCloud, names: list[str], now: float = 0.0) -> list[str]:
    orders = [CreateOrder(name) for name in names]
    return errors(world.order(Operation.CREATE, FENCE, orders, now))


def configure(world: SimulatedCloud, name: str, now: float = 0.0) -> list[str]:
    return errors(world.order(Operation.CONFIGURE, FENCE, [ConfigureOrder(name, "c")], now))


def drain(world: SimulatedCloud, name: str, grace: int, now: float = 0.0) -> list[str]:
    return errors(world.order(Operation.DRAIN, FENCE, [DrainOrder(name, grace)], now))


def delete(world: SimulatedCloud, names: list[str], now: float = 0.0) -> list[str]:
    orders = [DeleteOrder(name) for name in names]
    return errors(world.order(Operation.DELETE, FENCE, orders, now))


def state(world: SimulatedCloud, name: str, now: float) -> str:
    return world.get([name], now).machines[0].state.name


def listed(world: SimulatedCloud, now: float = 0.0, cursor: str = "", **how) -> list[str]:
    """Give the ids of a List in rows."""
    return [each.id for page in world.list(cursor, now, **how) for each in page.machines]


def match(**keys) -> Match:
    return Match.model_validate(keys)
