"""A friendly way to make a fleet by hand, for tests, examples and notebooks."""

from dataclasses import dataclass, field, replace

from models.columns import fleet_of
from models.fleet import Fleet
from models.machine import MachineRow
from models.need import Need
from models.rows import DEFAULT_TOPOLOGY, ClusterMode, ClusterRow, FleetRows, ShardRow


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
    _shards: list[ShardRow] = field(default_factory=list)
    _machines: list[tuple[MachineRow, str | None]] = field(default_factory=list)
    _needs: list[Need] = field(default_factory=list)
    _shadow: list[str] = field(default_factory=list)
    _needs_given: bool = True

    def shard(self, name: str, *clusters: str) -> "FleetBuilder":
        """Add a shard; without any, one shard s0 owns everything."""
        self._shards.append(ShardRow(name, clusters))
        return self

    def machines(
        self, row: MachineRow, count: int = 1, serves: str | None = None
    ) -> "FleetBuilder":
        """Add ``count`` machines; ``{}`` in the id, host and labels is the index.

        ``serves`` is the id of a need, or ``cluster/id``; it may be added later.
        """
        self._machines.append((replace(row, count=count, is_pattern=count > 1), serves))
        return self

    def needs(self, *needs: Need) -> "FleetBuilder":
        """Add needs."""
        self._needs.extend(needs)
        return self

    def shadow(self, *clusters: str) -> "FleetBuilder":
        """Put clusters into shadow mode."""
        self._shadow.extend(clusters)
        return self

    def silence(self) -> "FleetBuilder":
        """Say that no roll-up was heard: every cluster is silent."""
        self._needs_given = False
        return self

    def rows(self) -> FleetRows:
        """Give the fleet as rows.

        Raises
        ------
        ValueError
            When ``serves`` names no need.
        """
        place = {need.id: index for index, need in enumerate(self._needs)}
        place |= {f"{need.cluster}/{need.id}": index for index, need in enumerate(self._needs)}
        unknown = {serves for _, serves in self._machines if serves and serves not in place}
        if unknown:
            raise ValueError(f"serves names no need: {', '.join(sorted(unknown))}.")
        return FleetRows(
            topology=self.topology,
            shards=tuple(self._shards) or (ShardRow("s0"),),
            shards_given=bool(self._shards),
            machines=[
                replace(row, serves=place[serves]) if serves else row
                for row, serves in self._machines
            ],
            needs=tuple(self._needs),
            needs_given=self._needs_given,
            clusters=tuple(ClusterRow(name, ClusterMode.SHADOW) for name in self._shadow),
        )

    def build(self) -> Fleet:
        """Give the fleet as columns."""
        return fleet_of(self.rows())
