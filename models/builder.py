"""A friendly way to make a fleet by hand, for tests, examples and notebooks."""

from dataclasses import dataclass, field, replace
from typing import Self

from models.columns import fleet_of
from models.fleet import Fleet
from models.machine import DEFAULT_SHARD, MachineRow
from models.need import Need
from models.pattern import has_hole
from models.rows import (
    DEFAULT_TOPOLOGY,
    ClusterMode,
    ClusterRow,
    FleetRows,
    ShardRow,
)


@dataclass(slots=True)
class FleetBuilder:
    """Collect shards, machines and needs, in any order, then ``build``.

    >>> from models.machine import CapacityType, MachineRow, State
    >>> fleet = (
    ...     FleetBuilder()
    ...     .machines(MachineRow("g{}", CapacityType.SPOT, state=State.IDLE, host_ref="h{}"), 4)
    ...     .needs(Need("train", cluster="a", count=2))
    ...     .build()
    ... )
    >>> len(fleet.machines), fleet.clusters
    (4, ('a',))
    """

    topology: tuple[str, ...] = DEFAULT_TOPOLOGY
    _shards: list[ShardRow] = field(default_factory=list, init=False)
    _machines: list[tuple[MachineRow, str | None]] = field(default_factory=list, init=False)
    _needs: list[Need] = field(default_factory=list, init=False)
    _shadow: list[str] = field(default_factory=list, init=False)
    _needs_given: bool = field(default=True, init=False)

    def shard(self, name: str, *clusters: str) -> Self:
        """Add a shard; without any, one shard s0 owns everything."""
        self._shards.append(ShardRow(name, clusters))
        return self

    def machines(
        self, row: MachineRow, count: int | None = None, serves: str | None = None
    ) -> Self:
        """Add a row as it is, or with a ``count``, as in files, ``count`` machines like it.

        ``{}`` in the id, host and labels is then the index. ``serves`` is the id of a need, or
        ``cluster/id``; it may be added later.

        Raises
        ------
        ValueError
            When several machines would bear one id.
        """
        if count is not None:
            if count > 1 and not has_hole(row.id):
                raise ValueError(
                    f"{count} machines are named {row.id!r}; write {{}} for the index."
                )
            row = replace(row, count=count, is_pattern=True)
        self._machines.append((row, serves))
        return self

    def needs(self, *needs: Need) -> Self:
        """Add needs."""
        self._needs.extend(needs)
        return self

    def shadow(self, *clusters: str) -> Self:
        """Put clusters into shadow mode."""
        self._shadow.extend(clusters)
        return self

    def silence(self) -> Self:
        """Say that no roll-up was heard: every cluster is silent."""
        self._needs_given = False
        return self

    def rows(self) -> FleetRows:
        """Give the fleet as rows.

        Raises
        ------
        ValueError
            When two needs bear one name, ``serves`` names no need or several, or a machine names
            an unknown shard.
        """
        shards = tuple(self._shards) or (ShardRow(DEFAULT_SHARD),)
        known = {shard.name for shard in shards}
        for row, _ in self._machines:
            if row.shard not in known:
                raise ValueError(f"machine {row.id!r} names an unknown shard, {row.shard!r}.")
        place = self._place_of_needs()
        return FleetRows(
            topology=self.topology,
            shards=shards,
            shards_given=bool(self._shards),
            machines=[
                row if serves is None else replace(row, serves=_found(serves, place))
                for row, serves in self._machines
            ],
            needs=tuple(self._needs),
            needs_given=self._needs_given,
            clusters=tuple(ClusterRow(name, ClusterMode.SHADOW) for name in self._shadow),
        )

    def build(self) -> Fleet:
        """Give the fleet as columns; see ``rows`` for what it refuses."""
        return fleet_of(self.rows())

    def _place_of_needs(self) -> dict[str, list[int]]:
        """Give the row numbers of the needs behind each id and each ``cluster/id``."""
        place: dict[str, list[int]] = {}
        seen: set[tuple[str, str]] = set()
        for index, need in enumerate(self._needs):
            if (need.cluster, need.id) in seen:
                raise ValueError(f"two needs are named {need.cluster}/{need.id}.")
            seen.add((need.cluster, need.id))
            for name in (need.id, f"{need.cluster}/{need.id}"):
                place.setdefault(name, []).append(index)
        return place


def _found(serves: str, place: dict[str, list[int]]) -> int:
    found = place.get(serves, [])
    if len(found) != 1:
        many = "several needs; write cluster/id" if found else "no need"
        raise ValueError(f"serves is {serves!r}, which names {many}.")
    return found[0]
