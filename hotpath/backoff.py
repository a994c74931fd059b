"""Back-off: leave alone exactly what failed, for a while that doubles.

A cycle reads ``Memory``; the shard's state machine writes it, by ``after_failure`` and
``after_success``, as its orders end.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from hotpath.inventory import Inventory
from hotpath.memory import Memory, Pause
from models import labels
from models.distinct import distinct
from models.failure import FailureClass
from models.fleet import Codes, Fleet
from models.machine import State
from models.settings.sections import BackoffSettings
from models.shortfall import Reason

Scope = tuple[str, ...]
"""What a failure concerns: its kind, then the names that single it out."""

KINDS = ("", "quota", "subnet", "class", "slot", "machine")
"""Kinds of scopes; an earlier one hides a later one. The first stands for none."""

_SHARED = (FailureClass.QUOTA, FailureClass.IP, FailureClass.CAPACITY)
SINGLE = KINDS[4:]

REASONS: dict[str, Reason] = {
    "quota": Reason.QUOTA_EXHAUSTED,
    "subnet": Reason.ADDRESSES_EXHAUSTED,
    "class": Reason.STOCKED_OUT,
}
"""Reason of a shortfall by the kind of what is left alone; other kinds give none of their own."""


def scope_of(fleet: Fleet, machine: int, failure: FailureClass) -> Scope | None:
    """Give what a failed Create of a machine (a row of the fleet) says is not to be had.

    None for THROTTLED, after which the same call is made again.
    """
    match failure:
        case FailureClass.INVALID:
            return ("slot", str(fleet.machines.ids[machine]))
        case FailureClass.INTERNAL:
            return ("machine", str(fleet.machines.ids[machine]))
        case FailureClass.THROTTLED:
            return None
    return _Texts(fleet).scope(int(fleet.machines.cell[machine]), failure)


@dataclass(frozen=True, slots=True)
class _Texts:
    """The labels and class names of a fleet's cells, each laid out once."""

    fleet: Fleet
    _labels: dict[str, tuple[tuple[str | None, ...], Codes]] = field(default_factory=dict)
    _classes: dict[int, str] = field(default_factory=dict)

    def scope(self, cell: int, failure: FailureClass) -> Scope:
        """Give what a failure concerns beyond the one machine: the same for all of a cell."""
        k = int(self.fleet.cells.class_index[cell])
        kind, zone = self.fleet.classes[k], self._label(cell, labels.ZONE)
        if failure is FailureClass.CAPACITY:
            if k not in self._classes:
                self._classes[k] = self.fleet.class_key(k)
            return ("class", self._classes[k], zone, str(kind.capacity_type))
        if failure is FailureClass.QUOTA:
            named, region = self._label(cell, labels.QUOTA), self._label(cell, labels.REGION)
            return (
                ("quota", named)
                if named
                else ("quota", kind.provider, region, str(kind.capacity_type))
            )
        named = self._label(cell, labels.SUBNET)
        return ("subnet", named) if named else ("subnet", kind.provider, zone)

    def _label(self, cell: int, key: str) -> str:
        if key not in self._labels:
            self._labels[key] = self.fleet.cell_label_codes(key)
        values, codes = self._labels[key]
        return values[codes[cell]] or ""


def after_failure(memory: Memory, scope: Scope, settings: BackoffSettings, now: float) -> Memory:
    """Remember a failure: the first pause, or twice the last one, up to the longest.

    A slot that is INVALID is left alone until it is listed anew, see ``after_success``.
    """
    last = memory.pauses.get(scope)
    seconds = settings.first if last is None else min(2 * last.seconds, settings.max)
    until = inf if scope[0] == "slot" else now + seconds
    return replace(memory, pauses={**memory.pauses, scope: Pause(until, seconds)})


def after_success(memory: Memory, fleet: Fleet, machine: int) -> Memory:
    """Forget every failure that a Create of this machine could have met: it just went well."""
    cleared = {scope_of(fleet, machine, failure) for failure in FailureClass}
    return replace(memory, pauses={s: p for s, p in memory.pauses.items() if s not in cleared})


class SharedScopes:
    """Which cells of a fleet each scope of a quota, subnet or class concerns.

    Cells that no such scope tells apart are asked for once: those alike in class, zone, region and
    the labels that name a quota or subnet.
    """

    def __init__(self, fleet: Fleet) -> None:
        columns = [fleet.cells.class_index] + [
            fleet.cell_label_codes(key)[1]
            for key in (labels.ZONE, labels.REGION, labels.QUOTA, labels.SUBNET)
        ]
        self._group_of_cell, first = distinct(np.stack(columns, axis=1).astype(np.int32))
        self._groups: dict[Scope, list[int]] = {}
        texts = _Texts(fleet)
        for group, cell in enumerate(first.tolist()):
            for failure in _SHARED:
                scope = texts.scope(cell, failure)
                self._groups.setdefault(scope, []).append(group)

    def kind_of_cells(self, scopes: Iterable[Scope]) -> NDArray[np.uint8]:
        """Give for each cell the first of ``KINDS`` that any of the scopes keeps it by; else 0."""
        kinds = np.zeros(int(self._group_of_cell.max(initial=-1)) + 1, dtype=np.uint8)
        for scope in sorted(scopes, key=lambda scope: KINDS.index(scope[0]), reverse=True):
            kinds[self._groups.get(scope, [])] = KINDS.index(scope[0])
        by_cell: NDArray[np.uint8] = kinds[self._group_of_cell]
        return by_cell


def open_scopes(pauses: Mapping[Scope, Pause], now: float) -> frozenset[Scope]:
    """Give what is left alone now."""
    return frozenset(scope for scope, pause in pauses.items() if pause.until > now)


def paused_kinds(inventory: Inventory, memory: Memory, now: float) -> Mapping[int, str]:
    """Give the speculative machines (places here) that are left alone, and by what kind.

    A quota's pause hides a subnet's, and that a class's, as the reasons of shortfalls do.
    """
    scopes = open_scopes(memory.pauses, now)
    if not scopes:
        return {}
    speculative = np.flatnonzero(inventory.has_state(State.SPECULATIVE))
    single = {scope[1]: scope[0] for scope in sorted(scopes) if scope[0] in SINGLE}
    by_cell = SharedScopes(inventory.fleet).kind_of_cells(scopes)
    shared = by_cell[inventory.machines.cell[speculative]].tolist()
    ids = inventory.machines.ids[speculative].tolist() if single else [""] * len(speculative)
    found = (
        (place, KINDS[kind] if kind else single.get(str(id), ""))
        for place, kind, id in zip(speculative.tolist(), shared, ids, strict=True)
    )
    return {place: kind for place, kind in found if kind}
