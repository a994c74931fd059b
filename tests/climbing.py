"""Small worlds in which needs could climb, and all the ways they could: plain, one by one.

Nothing here knows an engine or the judge. A way is a mapping from machines that are given up to
those that take their place.
"""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import ceil, isnan

from worlds import RACK, World

from models import labels
from models.builder import FleetBuilder
from models.machine import CapacityType, State
from models.need import Spread
from models.plan import MoveKind, Plan
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from models.standing import Standing

SETTINGS = Settings(rebalance=RebalanceSettings(migrate="on", drain_percent=100, min_gap=2))
HOURS = 24
OD, SPOT, METAL = CapacityType.ON_DEMAND, CapacityType.SPOT, CapacityType.BARE_METAL

RISKS = {OD: (0.0,), SPOT: (0.1, 0.5), METAL: (0.0, 0.5)}

Way = Mapping[int, int]


def climbing_world(seed: int) -> World:
    """Give one or two shards, up to three needs that run, and a few free machines."""
    chance = random.Random(seed)
    world = World(FleetBuilder(topology=(labels.ZONE, RACK))).shard("s0", "a")
    shards = ["s0"]
    if chance.random() < 0.3:
        world.shard("s1", "b")
        shards.append("s1")
    for number in range(chance.choice((1, 1, 2, 2))):
        cluster = chance.choice("ab"[: len(shards)])
        name, count = f"{cluster}/n{number}", chance.choice((1, 2, 2, 3))
        kind = _kind(chance, count)
        world.need(name, count, chance.choice((1, 5, 1_000_000)), **kind)
        home = shards["ab".index(cluster)]
        rack = chance.choice(("r0", "r1"))
        for m in range(count):
            place = {"rack": rack} if "same" in kind else {}
            running = {"state": State.CONFIGURED, "serves": name, "cluster": cluster}
            _machine(chance, world, f"v{number}{m}", shard=home, **running, **place)
    for number in range(chance.choice((1, 2, 3, 3))):
        state = chance.choice((State.IDLE, State.SPECULATIVE))
        _machine(chance, world, f"f{number}", shard=chance.choice(shards), state=state)
    if chance.random() < 0.3:
        given = {"same": RACK} if chance.random() < 0.5 else {}
        world.need("a/short", chance.choice((1, 2)), chance.choice((1, 4)), **given)
    return world


def _kind(chance: random.Random, count: int) -> dict[str, object]:
    given: dict[str, object] = {
        "interruption_penalty": float(chance.choice((0, 3, 20))),
        "reclamation_penalty": float(chance.choice((0, 4))),
        "floor": chance.choice((0, 0, 1, count)),
    }
    if chance.random() < 0.35:
        given["same"] = chance.choice((RACK, labels.ZONE))
    if chance.random() < 0.35:
        keys = chance.choice(
            ((RACK,), (labels.ZONE,), (labels.INSTANCE_TYPE,), (RACK, labels.ZONE))
        )
        given["spread"] = tuple(Spread(key, 3) for key in keys)
    return given


def _machine(chance: random.Random, world: World, id: str, **given: object) -> None:
    kind = chance.choice((OD, OD, SPOT, SPOT, METAL))
    rack = given.pop("rack", None) or chance.choice(("r0", "r1"))
    fields: dict[str, object] = {
        "capacity_type": kind,
        "instance_type": chance.choice(("g", "h")),
        "price_per_hour": chance.choice((0.0, 1.0, 2.0, 6.0, float("nan"))),
        "interruption_probability": chance.choice(RISKS[kind]),
        "reclamation_penalty": float(chance.choice((0, 9))),
        "ready_seconds": chance.choice((0.0, 600.0, 3600.0)),
        "labels": {labels.ZONE: "z" + ("0" if rack == "r0" else "1")},
        "rack": rack,
        "pinned": chance.random() < 0.05,
    }
    world.machines(id, **fields, **given)


@dataclass(frozen=True)
class Ways:
    """All that could be replaced after the moves of a plan that replaces nothing."""

    standing: Standing
    plan: Plan
    settings: Settings = SETTINGS

    @property
    def needs(self):
        return self.standing.fleet.needs

    def klass(self, m: int):
        return self.standing.fleet.classes[self.standing.fleet.machines.class_index[m]]

    def value(self, m: int, key: str) -> str | None:
        if key == labels.INSTANCE_TYPE:
            return self.klass(m).instance_type
        return self.standing.fleet.cell_labels(key)[self.standing.fleet.machines.cell[m]]

    def moved(self) -> set[int]:
        return {m for move in self.plan.moves for m in move.machines}

    def climbers(self) -> list[int]:
        """Give the needs that have all they want and that the plan does not touch."""
        touched = {n for move in self.plan.moves for n in (move.need, move.victim)}
        standing = self.standing
        return [
            n
            for n, need in enumerate(self.needs)
            if n not in touched
            and not standing.short[n]
            and not standing.waiting[n]
            and standing.have[n] == need.count
        ]

    def old(self, n: int) -> list[int]:
        columns, standing = self.standing.fleet.machines, self.standing
        return [
            m
            for m in range(len(columns))
            if standing.serves[m] == n
            and standing.victim[m]
            and not columns.pinned[m]
            and not isnan(self.klass(m).price_per_hour)
        ]

    def free(self) -> list[int]:
        """Give what is free after the plan, priced, and of use to nobody who is short."""
        columns, standing = self.standing.fleet.machines, self.standing
        lacks = {entry.need for entry in (*self.plan.unmet, *self.plan.displaced)}
        return [
            m
            for m in range(len(columns))
            if standing.free[m]
            and m not in self.moved()
            and not isnan(self.klass(m).price_per_hour)
            and not any(self.fits(m, n) for n in lacks)
        ]

    def fits(self, m: int, n: int) -> bool:
        has = dict(zip(self.standing.fleet.resources, self.klass(m).resources, strict=True))
        assert not self.needs[n].requirements
        return all(has.get(name, 0) >= wanted for name, wanted in self.needs[n].resources.items())

    def may(self, m: int, n: int) -> bool:
        columns = self.standing.fleet.machines
        at_home = columns.shard[m] == self.standing.fleet.shard_of_need(n)
        is_late = columns.state[m] == State.SPECULATIVE and columns.ready_seconds[m] > 900
        return bool(
            at_home and self.fits(m, n) and not (is_late and self.needs[n].priority >= 900_000)
        )

    def hourly(self, m: int, n: int) -> float:
        klass, need = self.klass(m), self.needs[n]
        created = self.standing.fleet.machines.state[m] == State.SPECULATIVE
        is_paid = created or klass.capacity_type in (OD, SPOT)
        price = klass.price_per_hour if is_paid else 0.0
        return price + klass.interruption_probability * need.interruption_penalty

    def start(self, m: int) -> float:
        columns = self.standing.fleet.machines
        if columns.state[m] != State.SPECULATIVE:
            return 0.0
        return self.klass(m).price_per_hour * columns.ready_seconds[m] / 3600

    def saves(self, n: int, way: Way) -> float:
        """Give what replacing these machines of one need saves."""
        own, need = self.standing.fleet.machines.reclamation_penalty, self.needs[n]
        total = -need.interruption_penalty * (1 if need.is_gang else len(way)) if way else 0.0
        for old, new in way.items():
            total += HOURS * (self.hourly(old, n) - self.hourly(new, n))
            total -= max(float(own[old]), need.reclamation_penalty) + 2 * self.start(new)
        return total

    def of_need(self, n: int) -> list[tuple[Way, float]]:
        """Give every legal way for one need, and what it saves."""
        old, need = self.old(n), self.needs[n]
        new = [m for m in self.free() if self.may(m, n)]
        sizes = range(1, len(old) + 1) if not need.is_gang else [need.count]
        found: list[tuple[Way, float]] = [({}, 0.0)]
        for size in sizes:
            for leaving, coming in product(combinations(old, size), combinations(new, size)):
                # Worth and cost are apart, so one way to pair them stands for all.
                way = dict(zip(leaving, coming, strict=True))
                if self.is_legal(n, leaving, coming):
                    found.append((way, self.saves(n, way)))
        return found

    def is_legal(self, n: int, old: tuple[int, ...], new: tuple[int, ...]) -> bool:
        need = self.needs[n]
        keys = sorted({spread.key for spread in need.spread if spread.is_hard})
        place = {m: tuple(self.value(m, key) for key in keys) for m in (*self.old(n), *new)}
        if need.is_gang and len({self.domain(m, need.same) for m in new}) > 1:
            return False
        if Counter(place[m] for m in old) != Counter(place[m] for m in new):
            return False
        places = {place[m] for m in self.old(n)}
        return self._keeps_floor(n, old, new, place, places) and self._keeps_share(
            n, new, place, len(places)
        )

    def domain(self, m: int, key: str) -> tuple[str | None, ...]:
        return tuple(
            self.value(m, level) for level in ((labels.ZONE, RACK) if key == RACK else (key,))
        )

    def _keeps_floor(self, n, old, new, place, places) -> bool:
        need = self.needs[n]
        if not need.floor:
            return True
        risky = lambda rows: sum(self.klass(m).interruption_probability > 0 for m in rows)  # noqa: E731
        members = [m for m, k in enumerate(self.standing.serves) if k == n]
        if not need.is_gang and risky(new) and risky(members) > max(0, need.count - need.floor):
            return False
        if len(places) == 1:
            kept = [m for m in members if m not in old]
            return not risky(new) or risky((*kept, *new)) <= max(0, need.count - need.floor)
        if need.is_gang:
            return not risky(new)
        return all(
            risky(m for m in new if place[m] == at) <= risky(m for m in old if place[m] == at)
            for at in places
        )

    def _keeps_share(self, n, new, place, places: int) -> bool:
        box = lambda m: (self.klass(m), self.value(m, labels.ZONE))  # noqa: E731
        spot = lambda m: self.klass(m).capacity_type is SPOT  # noqa: E731
        stalls = {
            box(m)
            for m in range(len(self.standing.serves))
            if self.standing.free[m]
            and m not in self.moved()
            and spot(m)
            and not isnan(self.klass(m).price_per_hour)
            and self.standing.fleet.machines.shard[m] == self.standing.fleet.shard_of_need(n)
            and self.fits(m, n)
        }
        if len(stalls) < 2:
            return True
        share = Fraction(repr(self.settings.assign.spot_max_share))
        most = ceil(share * self.needs[n].count)
        held = Counter(box(m) for m, k in enumerate(self.standing.serves) if k == n and spot(m))
        if self.needs[n].is_gang:
            held.clear()
        got = Counter((box(m), place[m]) for m in new if spot(m))
        return all(
            count <= max(0, most - held[where]) // places for (where, _), count in got.items()
        )

    def best(self) -> float:
        """Give the most that can be saved: needs together, no machine twice."""
        options = [self.of_need(n) for n in self.climbers()]
        return max(
            (
                sum(saved for _, saved in ways)
                for ways in product(*options)
                if len({new for way, _ in ways for new in way.values()})
                == sum(len(way) for way, _ in ways)
            ),
            default=0.0,
        )


def replaced_by(plan: Plan) -> dict[int, tuple[list[int], list[int]]]:
    """Give for each need that climbs the machines it gives up, and those it gets."""
    found: dict[int, tuple[list[int], list[int]]] = {}
    for move in plan.moves:
        if move.victim == move.need:
            found.setdefault(move.need, ([], []))[0].extend(move.machines)
    for move in plan.moves:
        if move.kind is MoveKind.REPLACE and move.need in found:
            found[move.need][1].extend(move.machines)
    return found
