"""Standings by hand and at random: fleets of a few shards as their cycles left them."""

import random
from dataclasses import dataclass, field

import numpy as np

from models.builder import FleetBuilder
from models.fleet import Fleet
from models.machine import CapacityType, MachineRow, State
from models.need import Need, Spread
from models.shortfall import Reason, Shortfall
from models.standing import Standing

RACK = "rack"


@dataclass(slots=True)
class World:
    """Collects machines and needs; ``standing`` reads each machine's part off its state.

    Idle and speculative machines are free, configured ones without a need are excess, those with
    one are victims; beyond its count a need is served by nobody. What it lacks is short.
    """

    builder: FleetBuilder = field(default_factory=lambda: FleetBuilder(topology=(RACK,)))

    def shard(self, name: str, *clusters: str) -> "World":
        self.builder.shard(name, *clusters)
        return self

    def machines(self, id: str, count: int = 1, **given: object) -> "World":
        """Add machines; ``serves``, ``rack`` and every field of a row may be given."""
        serves = given.pop("serves", None)
        rack = given.pop("rack", None)
        state = given.pop("state", State.IDLE)
        kind = CapacityType.SPOT if given.get("interruption_probability") else None
        row = MachineRow(
            id=id + "{}" if count > 1 else id,
            capacity_type=given.pop("capacity_type", kind or CapacityType.BARE_METAL),
            state=state,
            host_ref=None
            if state is State.SPECULATIVE
            else f"h-{id}" + ("{}" if count > 1 else ""),
            price_per_hour=given.pop("price_per_hour", 0.0),
            resources={"gpu": 8},
            labels=given.pop("labels", {}) | ({RACK: rack} if rack else {}),
            **given,
        )
        self.builder.machines(row, count, serves=serves)
        return self

    def running(self, id: str, count: int, serves: str, **given: object) -> "World":
        """Add configured machines that serve ``cluster/need``."""
        given.setdefault("cluster", serves.split("/")[0])
        return self.machines(id, count, state=State.CONFIGURED, serves=serves, **given)

    def need(self, name: str, count: int, priority: int, **given: object) -> "World":
        """Add a need named ``cluster/id``."""
        cluster, id = name.split("/")
        given.setdefault("resources", {"gpu": 8})
        self.builder.needs(Need(id, cluster, count, priority, **given))
        return self

    def standing(self, forecast: int = 0) -> Standing:
        """Give the standing; every shard expects so many machines of every class."""
        return standing_of(self.builder.build(), forecast)


def standing_of(fleet: Fleet, forecast: int = 0) -> Standing:
    machines = fleet.machines
    state, serves = machines.state, machines.serves.copy()
    for row, need in enumerate(fleet.needs):
        serves[np.flatnonzero(serves == row)[need.count :]] = -1
    have = np.bincount(serves[serves >= 0], minlength=len(fleet.needs)).astype(np.int64)
    count = np.array([need.count for need in fleet.needs], dtype=np.int64)
    quiet = fleet.silent | fleet.shadow
    short = np.where(quiet[fleet.need_cluster], 0, np.maximum(count - have, 0))
    touched = ~machines.pinned & ~np.append(quiet, False)[machines.cluster]
    configured = state == State.CONFIGURED
    return Standing(
        fleet=fleet,
        serves=serves,
        free=np.isin(state, (State.IDLE, State.SPECULATIVE)) & (serves < 0) & touched,
        excess=configured & (serves < 0) & touched,
        victim=configured & (serves >= 0) & touched,
        have=have,
        waiting=np.zeros(len(fleet.needs), dtype=np.int64),
        short=short,
        forecast=np.full((len(fleet.shards), len(fleet.classes)), forecast, dtype=np.int64),
        shortfalls=tuple(
            Shortfall(row, int(n), Reason.CAPACITY_EXHAUSTED) for row, n in enumerate(short) if n
        ),
    )


def random_world(seed: int, *, spread: bool = False) -> World:
    """Give a tiny world of two or three shards, a need or two each, and up to five machines."""
    chance = random.Random(seed)
    world = World()
    shards = chance.choice((2, 2, 3))
    room: dict[str, int] = {}
    for index in range(shards):
        cluster = "abc"[index]
        world.shard(f"s{index}", cluster)
        for number in range(chance.choice((0, 1, 1, 2))):
            name = f"{cluster}/n{number}"
            room[name] = chance.randint(1, 3)
            world.need(name, room[name], chance.choice((1, 2, 5)), **_kind(chance, spread))
    for index in range(chance.randint(2, 5)):
        _machine(chance, world, f"m{index}", shards, room)
    return world


def _kind(chance: random.Random, spread: bool) -> dict[str, object]:
    given: dict[str, object] = {
        "interruption_penalty": float(chance.choice((0, 3, 50))),
        "reclamation_penalty": float(chance.choice((0, 4))),
        "drain_seconds": float(chance.choice((30, 600))),
        "floor": chance.choice((0, 0, 1)),
    }
    if chance.random() < 0.4:
        given["same"] = RACK
    elif spread and chance.random() < 0.6:
        given["spread"] = (Spread(RACK, chance.choice((1, 2))),)
    return given


def _machine(
    chance: random.Random, world: World, id: str, shards: int, room: dict[str, int]
) -> None:
    shard = chance.randrange(shards)
    risk = chance.choice((0.0, 0.0, 0.1))
    given: dict[str, object] = {
        "shard": f"s{shard}",
        "rack": chance.choice(("r0", "r1", None)),
        "instance_type": chance.choice(("g", "h")),
        "interruption_probability": risk,
        "price_per_hour": chance.choice((0.0, 2.0, 7.0)),
        "reclamation_penalty": float(chance.choice((0, 9))),
        "ready_seconds": float(chance.choice((0, 300))),
    }
    own = [name for name, left in room.items() if left and name.startswith("abc"[shard])]
    kind = chance.choice(("idle", "speculative", "excess", "running", "running"))
    if kind == "running" and own:
        served = chance.choice(own)
        room[served] -= 1
        world.running(id, 1, served, **given)
    elif kind == "excess":
        world.machines(id, state=State.CONFIGURED, cluster="abc"[shard], **given)
    else:
        state = State.SPECULATIVE if kind == "speculative" else State.IDLE
        world.machines(id, state=state, **given)
