"""Throngs from a seed: clusters with tens of machines, labelled all over, and needs that overlap.

Beside ``oracle.crowd`` because dealing shows itself in numbers: chains over several needs, boxes
with more machines than one, gangs that grow. Nobody enumerates these; two engines are compared.
"""

from dataclasses import dataclass, replace
from math import nan
from random import Random

from builders import RACK, TOPOLOGY, machine
from oracle.crowd import KUBELET

from models import labels
from models.machine import MachineRow, State
from models.need import Need
from models.requirement import Operator, Requirement
from models.rows import ClusterMode, ClusterRow, FleetRows, ShardRow

TYPES = tuple("abcdef")

_CELLS = (
    Requirement(labels.ZONE, Operator.IN, ("z1",)),
    Requirement(labels.ZONE, Operator.NOT_IN, ("z1",)),
    Requirement(RACK, Operator.IN, ("r1", "r2")),
    Requirement(RACK, Operator.DOES_NOT_EXIST),
)
_BOOTSTRAP = (Requirement(KUBELET, Operator.GTE, ("1.30",)),)
_STATES = (
    (State.CONFIGURED,),
    (*[State.CONFIGURED] * 4, State.CONFIGURING, State.CREATING, State.IDLE),
    (State.CONFIGURED, State.CONFIGURED, State.IDLE, State.SPECULATIVE, State.CREATING),
)


def throng(seed: int) -> FleetRows:
    """Give the fleet of a seed. One theme runs through it: its kinds of requirement, its states."""
    random = Random(seed)
    clusters = [f"c{index}" for index in range(random.choice((1, 1, 2)))]
    size = random.randint(20, 120)
    needs = _needs(random, clusters, size)
    shadow = [random.choice(clusters)] if random.random() < 0.1 else []
    return FleetRows(
        topology=TOPOLOGY,
        shards=(ShardRow("s0", tuple(clusters)),),
        shards_given=True,
        machines=_machines(random, clusters, needs, size),
        needs=needs,
        needs_given=True,
        clusters=tuple(ClusterRow(name, ClusterMode.SHADOW) for name in shadow),
    )


def settled(seed: int) -> FleetRows:
    """Give a cluster of many needs, each of which has about as many machines as it asks for."""
    random = Random(seed)
    kinds, size = _kinds(random), random.choice((40, 120, 300))
    asked = [random.sample(TYPES, random.randint(1, 3)) for _ in range(random.randint(6, 14))]
    serves = [random.randrange(len(asked)) for _ in range(size)]
    rows = [
        replace(
            _machine(random, index, State.CONFIGURED, "c0", random.choice(asked[n]), kinds),
            serves=n,
        )
        for index, n in enumerate(serves)
    ]
    return FleetRows(
        topology=TOPOLOGY,
        shards=(ShardRow("s0", ("c0",)),),
        shards_given=True,
        machines=rows,
        needs=tuple(
            Need(
                id=f"n{n}",
                cluster="c0",
                count=max(0, serves.count(n) + random.choice((-2, -1, 0, 0, 0, 1, 4))),
                priority=random.choice((0, 1, 5)),
                requirements=(
                    Requirement(labels.INSTANCE_TYPE, Operator.IN, tuple(sorted(types))),
                ),
                reclamation_penalty=random.choice((0.0, 0.0, 2.0)),
            )
            for n, types in enumerate(asked)
        ),
        needs_given=True,
    )


def _needs(random: Random, clusters: list[str], size: int) -> tuple[Need, ...]:
    count = random.randint(2, 9)
    special = random.choice(((), _CELLS, _BOOTSTRAP, (*_CELLS, *_BOOTSTRAP)))
    gangs = random.choice((0.0, 0.0, 0.35))
    return tuple(
        Need(
            id=f"n{index}",
            cluster=random.choice(clusters),
            count=random.randint(0, 2 * size // count),
            priority=random.choice((0, 0, 1, 5)),
            requirements=_requirements(random, special),
            resources=random.choice(({}, {}, {"gpu": 1})),
            same=random.choice((labels.ZONE, RACK)) if random.random() < gangs else None,
            reclamation_penalty=random.choice((0.0, 0.0, 2.0, 50.0)),
        )
        for index in range(count)
    )


def _requirements(random: Random, special: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    types = tuple(sorted(random.sample(TYPES, random.randint(1, 4))))
    asked = [Requirement(labels.INSTANCE_TYPE, Operator.IN, types)] if random.random() < 0.8 else []
    if special and random.random() < 0.5:
        asked.append(random.choice(special))
    return tuple(asked)


@dataclass(frozen=True)
class _Kind:
    """What machines of one instance type have in common."""

    price: float
    gpu: int
    kubelet: str | None


def _machines(
    random: Random, clusters: list[str], needs: tuple[Need, ...], size: int
) -> list[MachineRow]:
    kinds = _kinds(random)
    states, labelled = random.choice(_STATES), random.choice((0.0, 0.5, 0.9, 1.0))
    rows = []
    for index in range(size):
        state, name = random.choice(states), random.choice(TYPES)
        cluster = random.choice(clusters)
        row = _machine(random, index, state, cluster, name, kinds)
        rows.append(replace(row, serves=_serves(random, state, cluster, needs, labelled)))
    return rows


def _kinds(random: Random) -> dict[str, _Kind]:
    return {
        name: _Kind(
            price=random.choice((1.0, 0.97, 0.94, 0.9, 0.5, nan)),
            gpu=random.choice((0, 1, 1)),
            kubelet=random.choice((None, "1.29", "1.31")),
        )
        for name in TYPES
    }


def _machine(
    random: Random, index: int, state: State, cluster: str, name: str, kinds: dict[str, _Kind]
) -> MachineRow:
    row = machine(
        # Not in the order of the rows.
        f"m{7 * index % 512:03}",
        state,
        cluster=cluster if state in (State.CONFIGURED, State.CONFIGURING) else None,
        zone=random.choice(("z1", "z2")),
        rack=random.choice(("r1", "r2", "r3", None)),
        instance_type=name,
        gpu=kinds[name].gpu,
        price=kinds[name].price,
        penalty=random.choice((0.0, 0.0, 1.0, 3.0, 700.0)),
    )
    kubelet = kinds[name].kubelet
    return row if kubelet is None else replace(row, labels={**row.labels, KUBELET: kubelet})


def _serves(
    random: Random, state: State, cluster: str, needs: tuple[Need, ...], labelled: float
) -> int:
    if state in (State.CONFIGURED, State.CONFIGURING):
        own = [row for row, need in enumerate(needs) if need.cluster == cluster]
        return random.choice(own) if own and random.random() < labelled else -1
    if state is State.SPECULATIVE:
        return -1
    return random.randrange(len(needs)) if random.random() < 0.7 else -1
