"""Rows of a fleet document, checked and in internal units: importers make, columns eat them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from models import labels
from models.machine import DEFAULT_SHARD, MachineRow
from models.need import Need

API_VERSION = "bigfleet.dev/v1"
"""``apiVersion`` of every document that we read or write."""

MOST_MACHINES = 10_000_000
"""Machines in all that a fleet may have."""

DEFAULT_TOPOLOGY = (labels.REGION, labels.ZONE)
"""Levels of the topology tree, outermost first, where a document names none."""


class ClusterMode(StrEnum):
    """Whether decisions for a cluster are acted on, or only reported."""

    ACTIVE = "active"
    SHADOW = "shadow"


@dataclass(frozen=True, slots=True)
class ShardRow:
    """One shard and the clusters it owns, in the order of the document."""

    name: str
    clusters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """What a document says about a cluster itself."""

    name: str
    mode: ClusterMode = ClusterMode.ACTIVE


@dataclass(frozen=True, slots=True)
class FleetRows:
    """A fleet document, row by row; ``MachineRow.serves`` counts in ``needs``.

    Attributes
    ----------
    topology
        Label keys of the levels, outermost first, as given or the default.
    shards
        As given; one row s0 without clusters where none were given: it then owns every cluster.
    shards_given, needs_given
        Absent needs are not empty needs: without them every cluster is silent.
    machines
        One row may stand for many machines, see ``MachineRow``. Owned by whoever asked for it.
    clusters
        Only those of which the document says something; all others are active.
    serves_written
        Only without needs: row number in ``machines`` to the name that its ``serves`` wrote, for
        whoever learns the needs later.
    """

    name: str = ""
    topology: tuple[str, ...] = DEFAULT_TOPOLOGY
    shards: tuple[ShardRow, ...] = (ShardRow(DEFAULT_SHARD),)
    shards_given: bool = False
    machines: list[MachineRow] = field(default_factory=list)
    needs: tuple[Need, ...] = ()
    needs_given: bool = False
    clusters: tuple[ClusterRow, ...] = ()
    serves_written: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
