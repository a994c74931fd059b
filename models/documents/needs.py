"""Needs of a document: from their shapes to ``models.need.Need``, no two of one name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from models.documents.checking import Checked, Kind, checked, listed
from models.documents.faults import joined, shown
from models.documents.need_names import NeedNames
from models.documents.shapes import NeedShape
from models.errors import Fault, InputFault
from models.need import DEFAULT_DRAIN_SECONDS, Need, Spread, WhenUnsatisfiable
from models.quantity import parse_quantity, scale_of
from models.requirement import Operator, Requirement

_NEED = Kind(NeedShape, {"id": "?", "cluster": "?", "count": 0})

Value = TypeVar("Value")


@dataclass(slots=True)
class Reader:
    """What reading the rows of one document shares: its faults and the mappings seen before."""

    faults: list[Fault] = field(default_factory=list)
    _resources: dict[tuple[tuple[str, object], ...], Mapping[str, int]] = field(
        default_factory=dict
    )

    def resources(
        self, written: Mapping[str, str | int | float | None], path: str
    ) -> Mapping[str, int]:
        """Give amounts in internal units; equal mappings are read once and shared."""
        key = tuple(written.items())
        known = self._resources.get(key)
        if known is not None:
            return known
        amounts, sound = {}, True
        for name, amount in written.items():
            if amount is None:
                continue
            try:
                amounts[name] = parse_quantity(amount, scale_of(name))
            except ValueError as error:
                sound = False
                message = str(error)
                named = shown(amount) in message
                self.refuse(
                    joined(path, ("resources", name)),
                    message if named else f"{shown(amount)} is refused: {message}",
                )
        frozen = MappingProxyType(amounts)
        if sound:
            self._resources[key] = frozen
        return frozen

    def refuse(self, path: str, message: str) -> None:
        """Note one fault."""
        self.faults.append(Fault(path, message))


def needs_from(rows: object, cluster: str | None = None, path: str = "needs") -> tuple[Need, ...]:
    """Read a list of needs on its own, such as a roll-up; ``cluster`` is that of rows without one.

    Raises
    ------
    InputFault
        With all faults, their paths beginning with ``path``.
    """
    reader = Reader()
    listing = listed(rows, path, reader.faults)
    if cluster is not None:
        listing = [
            {**row, "cluster": cluster}
            if isinstance(row, Mapping) and row.get("cluster") is None
            else row
            for row in listing
        ]
    found = read_needs(listing, reader, path)
    if reader.faults:
        raise InputFault(reader.faults)
    return tuple(need for _, need in found.needs)


@dataclass(frozen=True, slots=True)
class ReadNeeds:
    """The needs that could be read, each with its row in the document, and their names."""

    needs: list[tuple[int, Need]]
    names: NeedNames


def read_needs(rows: list[object], reader: Reader, path: str) -> ReadNeeds:
    """Read what can be read; faults go to ``reader``."""
    needs, nameless = [], 0
    seen = 0
    for row in checked(rows, _NEED, path, reader.faults):
        seen += 1
        need = _need(row, reader, f"{path}[{row.row}]")
        if row.is_sound("id", "cluster"):
            needs.append((row.row, need))
        else:
            nameless += 1
    complete = nameless == 0 and seen == len(rows)
    names = NeedNames.of([need for _, need in needs], complete=complete)
    _check_names(needs, names, reader, path)
    return ReadNeeds(needs, names)


def _need(row: Checked[NeedShape], reader: Reader, path: str) -> Need:
    shape = row.shape
    name, cluster = str(shape.id), str(shape.cluster)
    bare = name.removeprefix(f"{cluster}/")
    if not bare and row.is_sound("id", "cluster"):
        reader.refuse(f"{path}.id", f"{shown(name)} names a cluster and no need.")
    same, requirements = _requirements(shape, reader, path)
    return Need(
        id=bare or name,
        cluster=cluster,
        count=shape.count,
        priority=_or(shape.priority, 0),
        name=name,
        requirements=requirements,
        resources=reader.resources(shape.resources or {}, path),
        same=same,
        spread=tuple(
            Spread(
                str(spread.key),
                _or(spread.max_skew, 1),
                _or(spread.when_unsatisfiable, WhenUnsatisfiable.DO_NOT_SCHEDULE),
            )
            for spread in shape.spread or ()
        ),
        interruption_penalty=_or(shape.interruption_penalty, 0.0),
        reclamation_penalty=_or(shape.reclamation_penalty, 0.0),
        drain_seconds=_or(shape.drain_seconds, DEFAULT_DRAIN_SECONDS),
        floor=_or(shape.floor, 0),
    )


def _or(value: Value | None, default: Value) -> Value:
    return default if value is None else value


def _requirements(
    shape: NeedShape, reader: Reader, path: str
) -> tuple[str | None, tuple[Requirement, ...]]:
    """Give the key of the gang's level, if any, and the other requirements."""
    same = None if shape.same is None else str(shape.same)
    kept = []
    for index, row in enumerate(shape.requirements or ()):
        where = f"{path}.requirements[{index}]"
        key, values = str(row.key), tuple(str(value) for value in row.values or ())
        if row.operator != "Same":
            try:
                kept.append(Requirement(key, Operator(row.operator), values))
            except ValueError as error:
                reader.refuse(where, f"on {shown(key)}: {error}")
        elif values:
            reader.refuse(f"{where}.values", f"Same takes no values, not {shown(list(values))}.")
        elif same not in (None, key):
            reader.refuse(
                where, f"Same on {shown(key)}, but the need has {shown(same)} already; keep one."
            )
        else:
            same = key
    return same, tuple(kept)


def _check_names(
    needs: Sequence[tuple[int, Need]], names: NeedNames, reader: Reader, path: str
) -> None:
    identity: dict[tuple[str, str], int] = {}
    for place, (row, need) in enumerate(needs):
        full = f"{need.cluster}/{need.id}"
        first = identity.setdefault((need.cluster, need.id), place)
        # The name of one need may read like cluster and id of another: then outputs and `serves`
        # could not tell them apart, so names must differ as well.
        twice = names.written[need.name] != place
        if first != place:
            message = f"is a duplicate of {path}[{needs[first][0]}]; give it another id."
        elif twice or (need.name == need.id and len(names.bare[need.id]) > 1):
            message = f"is a duplicate: another need goes by it; write {shown(full)}."
        else:
            continue
        reader.refuse(f"{path}[{row}].id", f"{shown(need.name)} {message}")
