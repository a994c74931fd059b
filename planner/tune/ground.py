"""What a sweep solves for: a snapshot after its cycles, which no weight changes, ready to be sent.

Reading a fleet, its cycles and the snapshot are done once; every worker gets the result.
"""

import copyreg
import io
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from models.fleet import Fleet
from models.settings import Settings
from planner.deciding import standing_after_cycles
from rebalancer.digest import digest_of
from rebalancer.settings import rules_from
from rebalancer.snapshot import Snapshot, snapshot_of


@dataclass(frozen=True, eq=False, slots=True)
class Ground:
    """One snapshot, and the settings that hold for everything but the swept weights.

    ``name`` tells it from others of the sweep.
    """

    name: str
    snapshot: Snapshot
    settings: Settings

    @property
    def digest(self) -> str:
        """Name the content without the ages of machines, which differ whenever a file is read.

        What an age decides, such as what is excess, is part of it.
        """
        standing = self.snapshot.standing
        machines = standing.fleet.machines
        ageless = replace(
            machines,
            state_since=np.zeros(len(machines)),
            reclaim_at=np.isnan(machines.reclaim_at).astype(np.float64),
        )
        fleet = replace(standing.fleet, machines=ageless)
        return digest_of(replace(standing, fleet=fleet), self.snapshot.rules, None)


def ground_of(name: str, fleet: Fleet, settings: Settings) -> Ground:
    """Cycle every shard with an empty memory, and draw up what is left to the rebalancer.

    Raises
    ------
    RuleBroken
        When the judge finds a rule broken in the fleet itself.
    """
    standing = standing_after_cycles(fleet, settings)
    return Ground(name, snapshot_of(standing, rules_from(settings)), settings)


def packed(grounds: Sequence[Ground]) -> bytes:
    """Give grounds as bytes for another process of the same version."""
    text = io.BytesIO()
    _Pickler(text, pickle.HIGHEST_PROTOCOL).dump(tuple(grounds))
    return text.getvalue()


def unpacked(content: bytes) -> tuple[Ground, ...]:
    """Give the grounds again. Only for bytes of ``packed``: a pickle may run any code."""
    grounds: tuple[Ground, ...] = pickle.loads(content)
    return grounds


def _read_only(mapping: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(mapping)


class _Pickler(pickle.Pickler):
    """Takes the read-only mappings of needs and machines too, which pickle itself refuses."""

    dispatch_table = copyreg.dispatch_table | {
        MappingProxyType: lambda mapping: (_read_only, (dict(mapping),))
    }
