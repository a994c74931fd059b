"""Seeded random fleets of one shard, small enough to be solved exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from models import labels
from models.machine import NOBODY, CapacityType, MachineRow, State
from models.need import Need, Spread
from models.requirement import Operator, Requirement
from models.rows import FleetRows

RACK = "example.com/rack"
TOPOLOGY = (labels.REGION, labels.ZONE, RACK)
ZONES = 3
RACKS_A_ZONE = 3
PRIORITIES = (0, 1_000, 100_000, 1_000_000)
RETIRED = "retired"
"""A cluster without needs: what it holds is excess."""


class Kind(StrEnum):
    """What its needs ask for beyond classes, zones and resources."""

    PLAIN = "plain"
    FLOORS = "floors"
    SPREAD = "spread"
    GANGS = "gangs"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a fleet is, and whether its clusters run enough to be preempted.

    Otherwise two clusters hold a quarter of the machines, pinned, to be dealt to their needs.
    """

    machines: int
    needs: int
    full: bool


def middle_shape(seed: int, *, full: bool) -> Shape:
    """Give a shape of 60 to 200 machines and 5 to 12 needs."""
    chance = np.random.default_rng((seed, 1))
    return Shape(int(chance.integers(60, 201)), int(chance.integers(5, 13)), full)


@dataclass(frozen=True, slots=True)
class _Class:
    """A class: only spot is ever interrupted, and is cheap."""

    instance_type: str
    capacity: CapacityType
    price: float
    risk: float
    cpu: int
    gpu: int


def random_fleet(seed: int, kind: Kind, shape: Shape) -> FleetRows:
    """Give a fleet; demand is 0.7 to 1.4 times what there is."""
    chance = np.random.default_rng((seed, list(Kind).index(kind), shape.machines, shape.needs))
    # A small fleet has few classes: which ones, is drawn.
    start = int(chance.integers(len(CapacityType)))
    number = min(12, max(2, shape.machines // 8))
    classes = [_class(k, chance) for k in range(start, start + number)]
    needs = tuple(_need(n, kind, shape, classes, chance) for n in range(shape.needs))
    room = [need.count for need in needs]
    return FleetRows(
        topology=TOPOLOGY,
        machines=[_machine(i, shape, classes, needs, room, chance) for i in range(shape.machines)],
        needs=needs,
        needs_given=True,
    )


def _class(k: int, chance: np.random.Generator) -> _Class:
    capacity = list(CapacityType)[k % 4]
    is_spot = capacity is CapacityType.SPOT
    price = round(float(chance.uniform(0.5, 8.0)) * (0.4 if is_spot else 1.0), 2)
    return _Class(
        instance_type=f"type-{k}",
        capacity=capacity,
        price=0.0 if capacity is CapacityType.BARE_METAL else price,
        risk=float(chance.choice([0.001, 0.01])) if is_spot else 0.0,
        cpu=int(chance.choice([8, 16, 32])) * 1000,
        gpu=8 if k % 5 == 2 else 0,
    )


def _need(
    n: int, kind: Kind, shape: Shape, classes: Sequence[_Class], chance: np.random.Generator
) -> Need:
    """Give a need; in a full fleet each has a cluster of its own, else the first few share two."""
    special = kind if kind is not Kind.MIXED else Kind(chance.choice(list(Kind)[:4]))
    if chance.random() < 0.4 or (not shape.full and _shares(n, shape)):
        special = Kind.PLAIN
    types = [one for one in classes if chance.random() < 0.4] or [classes[n % len(classes)]]
    gpus = any(one.gpu for one in types) and chance.random() < 0.5
    zones = tuple(f"z{z}" for z in range(ZONES) if chance.random() < 0.7)
    asked = [Requirement(labels.INSTANCE_TYPE, Operator.IN, tuple(t.instance_type for t in types))]
    if special is not Kind.SPREAD and 0 < len(zones) < ZONES:
        asked.append(Requirement(labels.ZONE, Operator.IN, zones))
    share = max(1, round(shape.machines / shape.needs * float(chance.uniform(0.4, 1.7))))
    count = min(max(2, share), int(chance.integers(2, 9))) if special is Kind.GANGS else share
    return Need(
        id=f"n{n:02d}",
        cluster=f"c{n % 2}" if not shape.full and _shares(n, shape) else f"own{n:02d}",
        count=count,
        priority=int(chance.choice(PRIORITIES)),
        requirements=tuple(asked),
        resources={"cpu": int(chance.choice([4, 16])) * 1000} | ({"gpu": 8} if gpus else {}),
        same=RACK if special is Kind.GANGS else None,
        spread=(Spread(labels.ZONE),) if special is Kind.SPREAD else (),
        floor=-(-count // 2) if special is Kind.FLOORS else 0,
        interruption_penalty=float(chance.choice([0, 10, 100])),
        reclamation_penalty=float(chance.choice([0, 5, 50])),
        drain_seconds=float(chance.choice([10, 60, 300])),
    )


def _shares(n: int, shape: Shape) -> bool:
    return n < shape.needs // 2


def _machine(
    i: int,
    shape: Shape,
    classes: Sequence[_Class],
    needs: Sequence[Need],
    room: list[int],
    chance: np.random.Generator,
) -> MachineRow:
    kind = classes[int(chance.integers(len(classes)))]
    zone, rack = int(chance.integers(ZONES)), int(chance.integers(RACKS_A_ZONE))
    holder = _holder(shape, kind, f"z{zone}", needs, room, chance)
    state = State.CONFIGURED if holder is not None else _free_state(kind, chance)
    return MachineRow(
        id=f"m{i:03d}",
        capacity_type=kind.capacity,
        state=state,
        host_ref=None if state is State.SPECULATIVE else f"h{i:03d}",
        cluster=None if holder is None else holder[0],
        serves=NOBODY if holder is None else holder[1],
        # What is beyond every count has been so for an hour.
        state_since=-3600.0 if holder is not None else 0.0,
        instance_type=kind.instance_type,
        price_per_hour=kind.price,
        interruption_probability=kind.risk,
        resources={"cpu": kind.cpu, "gpu": kind.gpu},
        labels={labels.ZONE: f"z{zone}", RACK: f"z{zone}-r{rack}"},
        reclamation_penalty=float(chance.choice([0, 20])) if holder is not None else 0.0,
        pinned=holder is not None and not shape.full,
    )


def _free_state(kind: _Class, chance: np.random.Generator) -> State:
    is_slot = kind.capacity.is_elastic and chance.random() < 0.7
    return State.SPECULATIVE if is_slot else State.IDLE


def _holder(
    shape: Shape,
    kind: _Class,
    zone: str,
    needs: Sequence[Need],
    room: list[int],
    chance: np.random.Generator,
) -> tuple[str, int] | None:
    """Give the cluster and the need that have a machine at first; None for a free one.

    Only needs that neither spread nor ask for a domain or a floor hold anything: what a rule says
    of machines that were there before it, is not what is measured.
    """
    draw = chance.random()
    if draw > (0.75 if shape.full else 0.25):
        return None
    if shape.full and draw < 0.05:
        return RETIRED, NOBODY
    able = [
        n
        for n, need in enumerate(needs)
        if room[n]
        and (need.cluster.startswith("own") is shape.full)
        and not (need.same or need.spread or need.floor)
        and _suits(need, kind, zone)
    ]
    if not able:
        return None
    # The low ones have most, so that there is something to take.
    weight = np.array([1.0 / (1 + PRIORITIES.index(needs[n].priority)) for n in able])
    n = int(chance.choice(able, p=weight / weight.sum()))
    room[n] -= 1
    return needs[n].cluster, n


def _suits(need: Need, kind: _Class, zone: str) -> bool:
    values = {labels.INSTANCE_TYPE: kind.instance_type, labels.ZONE: zone}
    has = {"cpu": kind.cpu, "gpu": kind.gpu}
    return all(amount <= has[name] for name, amount in need.resources.items()) and all(
        requirement.matches(values[requirement.key]) for requirement in need.requirements
    )
