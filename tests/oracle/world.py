"""The world of the oracle: one shard as plain objects, read from the rows of a document."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isnan

from models import labels
from models.action import Verb
from models.cost import effective_cost_nanos
from models.machine import UNKNOWN_NEED, CapacityType, MachineRow, State
from models.need import Need
from models.rows import ClusterMode, FleetRows
from models.settings import Settings


@dataclass(eq=False)
class Machine:
    """A machine, the class it sorts by, the need it has at present, and what was ordered of it."""

    row: MachineRow
    kind: tuple
    need: int | None = None
    verb: Verb | None = None
    for_need: int | None = None
    grace: float = 0.0

    @property
    def state(self) -> State:
        return self.row.state

    @property
    def noticed(self) -> bool:
        return not isnan(self.row.reclaim_at)

    @property
    def is_spot(self) -> bool:
        return self.row.capacity_type is CapacityType.SPOT

    @property
    def names(self) -> int | None:
        """The need that the document says it serves."""
        return self.row.serves if self.row.serves >= 0 else None

    @property
    def is_draining(self) -> bool:
        return self.state is State.DRAINING or self.verb is Verb.DRAIN

    @property
    def is_free(self) -> bool:
        """Whether it is in a state in which it may be given to somebody."""
        return (
            self.state in (State.IDLE, State.SPECULATIVE)
            and self.verb is None
            and not self.noticed
            and self.row.serves != UNKNOWN_NEED
        )

    def label(self, key: str) -> str | None:
        if key == labels.INSTANCE_TYPE:
            return self.row.instance_type or None
        if key == labels.CAPACITY_TYPE:
            return str(self.row.capacity_type)
        if key == labels.PROVIDER:
            return self.row.provider
        return self.row.labels.get(key)

    @property
    def spot_place(self) -> tuple:
        return (self.kind, self.label(labels.ZONE))

    def order(self, verb: Verb, need: int | None, grace: float = 0.0) -> None:
        assert self.verb is None
        self.verb, self.for_need, self.grace = verb, need, grace


@dataclass
class World:
    """One shard: its machines, the needs of its clusters, and the books of this cycle."""

    rows: FleetRows
    settings: Settings
    now: float
    machines: list[Machine]
    needs: list[int]
    taken_from: dict[int, int] = field(default_factory=dict)
    given_by: dict[str, int] = field(default_factory=dict)

    def copy(self) -> "World":
        """The same books in other hands."""
        return replace(
            self,
            machines=[replace(machine) for machine in self.machines],
            taken_from=dict(self.taken_from),
            given_by=dict(self.given_by),
        )

    def __getitem__(self, need: int) -> Need:
        return self.rows.needs[need]

    def is_silent(self, cluster: str | None) -> bool:
        return cluster is not None and not self.rows.needs_given

    def is_shadow(self, cluster: str | None) -> bool:
        return any(
            row.name == cluster and row.mode is ClusterMode.SHADOW for row in self.rows.clusters
        )

    def walk(self) -> list[int]:
        """Priority, highest first; on a file all arrive at once; then the name.

        What shadow needs would do must not change what is done, so they come last.
        """

        def rank(need: int) -> tuple:
            wanted = self[need]
            return (
                self.is_shadow(wanted.cluster),
                -wanted.priority,
                wanted.name,
                wanted.cluster,
            )

        return sorted((n for n in self.needs if not self.is_silent(self[n].cluster)), key=rank)

    def is_lower(self, other: int, need: int) -> bool:
        return self[other].priority < self[need].priority

    def matches(self, machine: Machine, need: int, configured: bool = False) -> bool:
        """Labels and resources; what a bootstrap makes true counts once it is there."""
        wanted = self[need]
        for requirement in wanted.requirements:
            value = machine.label(requirement.key)
            if self._is_bootstrap(requirement.key) and (not configured or value is None):
                continue
            if not requirement.matches(value):
                return False
        return all(
            machine.row.resources.get(name, 0) >= amount
            for name, amount in wanted.resources.items()
        )

    def _is_bootstrap(self, key: str) -> bool:
        return any(
            key == pattern or (pattern.endswith("*") and key.startswith(pattern[:-1]))
            for pattern in self.settings.assign.bootstrap_keys
        )

    def domain(self, machine: Machine, key: str) -> tuple[str, ...] | None:
        """The node of the tree: the path down to the level; a foreign key is flat."""
        if not machine.label(key):
            return None
        levels = self.rows.topology
        above = levels[: levels.index(key)] if key in levels else ()
        return tuple(machine.label(level) or "" for level in (*above, key))

    def cost(self, machine: Machine, need: int) -> tuple[int, float, float]:
        """Effective cost; where it saturates, then p, then price."""
        row = machine.row
        return int(
            effective_cost_nanos(
                row.price_per_hour, row.interruption_probability, self[need].interruption_penalty
            )
        )

    def stood(self, machine: Machine) -> bool:
        return self.now - machine.row.state_since >= self.settings.reclaim.delay

    def is_excess(self, machine: Machine) -> bool:
        """Held by a cluster, yet beyond every count."""
        return (
            machine.state is State.CONFIGURED
            and machine.need is None
            and machine.verb is None
            and not machine.noticed
            and not self.is_silent(machine.row.cluster)
        )

    def held(self, need: int) -> list[Machine]:
        """What counts for a need: configured, on its way, reserved, ordered."""
        return [m for m in self.machines if m.need == need and not m.is_draining]

    def waiting(self, need: int) -> list[Machine]:
        return [m for m in self.machines if m.need == need and m.is_draining]

    def missing(self, need: int) -> int:
        """Short; what a victim loses in this cycle it misses in the next."""
        return max(self[need].count - len(self.held(need)) - self.taken_from.get(need, 0), 0)

    def deficit(self, need: int) -> int:
        """What nothing is under way for: what drains for the need is not bought again."""
        return max(self.missing(need) - len(self.waiting(need)), 0)

    def grace(self, gap: int | None) -> float:
        steps = self.settings.preempt.grace
        if gap is None:
            return steps[-1][1]
        return next(seconds for least, seconds in steps if gap >= least)


def kind_of(row: MachineRow, resources: Iterable[str], keys: Iterable[str]) -> tuple:
    """The fields by which classes compare, in their order."""
    price = row.price_per_hour
    return (
        row.provider,
        row.instance_type,
        str(row.capacity_type),
        (isnan(price), 0.0 if isnan(price) else price),
        row.interruption_probability,
        tuple(row.resources.get(name, 0) for name in resources),
        tuple((key in row.labels, row.labels.get(key, "")) for key in keys),
    )


def world_of(rows: FleetRows, shard: str, settings: Settings, now: float = 0.0) -> World:
    """Read a document whose rows stand for one machine each; nobody has a need yet."""
    resources = sorted({name for row in rows.machines for name in row.resources})
    named = {r.key for need in rows.needs for r in need.requirements}
    named |= {s.key for need in rows.needs for s in need.spread}
    named |= {need.same for need in rows.needs if need.same}
    named |= {labels.QUOTA, labels.SUBNET}
    known = {labels.INSTANCE_TYPE, labels.CAPACITY_TYPE, labels.PROVIDER, labels.HOSTNAME}
    known |= {*rows.topology, labels.REGION, labels.ZONE}
    keys = sorted(named - known)
    owned = {name for row in rows.shards if row.name == shard for name in row.clusters}
    return World(
        rows=rows,
        settings=settings,
        now=now,
        machines=[
            Machine(row, kind_of(row, resources, keys))
            for row in rows.machines
            if row.shard == shard
        ],
        needs=[
            index
            for index, need in enumerate(rows.needs)
            if need.cluster in owned or not rows.shards_given
        ],
    )


def percent(share: float) -> Fraction:
    """A share as the decimal it prints as."""
    return Fraction(repr(share))
