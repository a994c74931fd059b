"""Besieged fleets from a seed: low needs hold nearly everything, and high ones want it.

Beside ``crowd``, where phase 2 is one theme among others: there a fleet sees a drain in seven, here
four or five each, so that victims tie, gangs break, and spares step in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from random import Random

from builders import RACK, TOPOLOGY

from models import labels
from models.machine import CapacityType, MachineRow, State
from models.need import Need, Spread, WhenUnsatisfiable
from models.requirement import Operator, Requirement
from models.rows import ClusterMode, ClusterRow, FleetRows, ShardRow

_LOW = ((0,), (0, 1), (0, 1_000, 100_000), (-5, 0, 3), (0, 500_000, 900_000))
_HIGH = ((1_000_000,), (10, 20), (900_001, 1_000_000), (500_000, 600_000, 1_000_000))
_PENALTIES = ((0.0,), (0.0, 10.0), (0.0, 0.1, 0.3, 700.0), (5.0, 5.001, 5.0001))
"""The last ones score alike, though they are not."""
_TYPES = ("a", "b", "c")
_FREE = (State.IDLE, State.IDLE, State.SPECULATIVE, State.CREATING, State.CONFIGURING)
_UNSATISFIED = (*[WhenUnsatisfiable.DO_NOT_SCHEDULE] * 3, WhenUnsatisfiable.SCHEDULE_ANYWAY)


@dataclass(frozen=True)
class _Theme:
    """What one fleet is drawn from; shares are of its machines."""

    clusters: tuple[str, ...]
    penalties: tuple[float, ...]
    kinds: tuple[tuple[str, CapacityType, float], ...]
    zones: int
    racks: int
    free: float
    draining: float
    loose: float


def besieged(seed: int) -> FleetRows:
    """Give the fleet of a seed: one shard, 10 to 90 machines, 3 to 14 needs."""
    random = Random(seed)
    theme = _theme(random)
    needs = _needs(random, theme)
    ids = list(range(random.randint(10, 90)))
    random.shuffle(ids)
    shadow = [random.choice(theme.clusters)] if random.random() < 0.15 else []
    return FleetRows(
        topology=TOPOLOGY,
        shards=(ShardRow("s0", theme.clusters),),
        shards_given=True,
        machines=[_machine(random, id, theme, needs) for id in ids],
        needs=needs,
        needs_given=True,
        clusters=tuple(ClusterRow(name, ClusterMode.SHADOW) for name in shadow),
    )


def _theme(random: Random) -> _Theme:
    apart = tuple(random.random() * 100 for _ in range(50))
    return _Theme(
        clusters=tuple(f"c{index}" for index in range(random.randint(1, 5))),
        penalties=random.choice((*_PENALTIES, apart)),
        kinds=tuple(
            (random.choice(_TYPES), random.choice(tuple(CapacityType)), price)
            for price in random.choices((1.0, 1.01, 2.0), k=random.randint(1, 5))
        ),
        zones=random.randint(1, 3),
        racks=random.randint(1, 4),
        free=random.choice((0.0, 0.0, 0.1, 0.3)),
        draining=random.choice((0.0, 0.1, 0.3)),
        loose=random.choice((0.0, 0.1, 0.4)),
    )


def _needs(random: Random, theme: _Theme) -> tuple[Need, ...]:
    low, high = random.choice(_LOW), random.choice(_HIGH)
    gangs, high_gangs = random.choice((0.0, 0.2, 0.6)), random.choice((0.1, 0.4, 0.9))
    needs = [
        *(_need(random, f"l{i}", theme, low, gangs) for i in range(random.randint(2, 9))),
        *(_need(random, f"h{i}", theme, high, high_gangs) for i in range(random.randint(1, 5))),
    ]
    random.shuffle(needs)
    return tuple(needs)


def _need(random: Random, id: str, theme: _Theme, priorities: Sequence[int], gangs: float) -> Need:
    is_gang = random.random() < gangs
    count = random.randint(1, 5 if is_gang else 16)
    is_spread = random.random() < (0.1 if is_gang or id.startswith("l") else 0.4)
    asked = Requirement(labels.INSTANCE_TYPE, Operator.IN, tuple(random.sample(_TYPES, 2)))
    return Need(
        id=id,
        cluster=random.choice(theme.clusters),
        count=count,
        priority=random.choice(priorities),
        requirements=(asked,) if random.random() < 0.25 else (),
        resources={"cpu": random.choice((1_000, 1_000, 3_000))},
        same=random.choice((labels.ZONE, RACK)) if is_gang else None,
        spread=tuple(
            Spread(
                random.choice((labels.ZONE, RACK)),
                random.randint(1, 2),
                random.choice(_UNSATISFIED),
            )
            for _ in range(random.choice((1, 1, 2)) if is_spread else 0)
        ),
        interruption_penalty=random.choice(theme.penalties),
        reclamation_penalty=random.choice((0.0, random.choice(theme.penalties))),
        drain_seconds=random.choice((0.0, 30.0, 30.0, 3_600.0)),
        floor=random.choice((0, 0, 0, 1, count // 2, count)),
    )


def _machine(random: Random, id: int, theme: _Theme, needs: Sequence[Need]) -> MachineRow:
    instance_type, capacity, price = random.choice(theme.kinds)
    state, cluster, serves = _use(random, theme, needs)
    zone, rack = random.randrange(theme.zones), random.randrange(theme.racks)
    has_rack = random.random() < 0.95
    return MachineRow(
        id=f"m{id:03d}",
        capacity_type=capacity,
        state=state,
        host_ref=None if state is State.SPECULATIVE else f"h{id}",
        cluster=cluster,
        serves=serves,
        instance_type=instance_type,
        price_per_hour=price,
        interruption_probability=random.choice((0.0, 0.01)) if capacity.is_elastic else 0.0,
        resources={"cpu": random.choice((2_000, 4_000))},
        labels={labels.ZONE: f"z{zone}"} | ({RACK: f"r{zone}{rack}"} if has_rack else {}),
        reclamation_penalty=random.choice(theme.penalties),
        pinned=random.random() < 0.03,
        ready_seconds=random.choice((0.0, 60.0, 3_600.0)),
        # Of what is excess some has stood for long enough, and some has not.
        state_since=random.choice((-inf, -30.0, -90.0)),
    )


def _use(random: Random, theme: _Theme, needs: Sequence[Need]) -> tuple[State, str | None, int]:
    """Draw the state, cluster and need of a machine."""
    low = random.choice([row for row, need in enumerate(needs) if need.id.startswith("l")])
    draw, owner = random.random(), needs[low].cluster
    if draw < theme.free:
        state = random.choice(_FREE)
        if state is State.CONFIGURING:
            return state, owner, low
        is_reserved = state is not State.SPECULATIVE and random.random() < 0.5
        return state, None, low if is_reserved else -1
    if draw < theme.free + theme.draining:
        serves = random.choice((-1, -1, random.randrange(len(needs))))
        return State.DRAINING, random.choice(theme.clusters), serves
    if random.random() < theme.loose:
        return State.CONFIGURED, random.choice(theme.clusters), -1
    return State.CONFIGURED, owner, low
