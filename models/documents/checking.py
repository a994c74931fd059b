"""Rows of a document against their shape: every fault of every row, and what is sound of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from models.documents.faults import faults_of, joined, shown
from models.errors import Fault

Shape = TypeVar("Shape", bound=BaseModel)

_AT_ONCE = 50
"""Rows validated in one call. Larger chunks live long enough for the garbage collector to walk
them: 200,000 rows took 3.0 s in chunks of 20 or 50, 3.8 s in chunks of 200, 5.0 s of 5,000."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[Shape]):
    """A kind of row; ``stand_ins`` replace its required fields where those are broken.

    A stand-in lets the other fields of a row be judged all the same; nobody may look at it.
    """

    shape: type[Shape]
    stand_ins: Mapping[str, object]


class Checked(NamedTuple, Generic[Shape]):
    """A row of which the fields not named in ``broken`` are sound."""

    row: int
    shape: Shape
    broken: frozenset[str] = frozenset()

    def is_sound(self, *fields: str) -> bool:
        """Tell whether none of the fields, by their names in the document, is broken."""
        return not self.broken or self.broken.isdisjoint(fields)


def listed(rows: object, path: str, faults: list[Fault]) -> list[object]:
    """Give the rows of a list; null is an empty one, anything else a fault."""
    if rows is None:
        return []
    if isinstance(rows, Sequence) and not isinstance(rows, str | bytes):
        return list(rows)
    faults.append(Fault(path, f"{shown(rows)} is not a list."))
    return []


def checked(
    rows: list[object], kind: Kind[Shape], path: str, faults: list[Fault]
) -> Iterator[Checked[Shape]]:
    """Give the rows that are mappings, in order, and append to ``faults`` as they are read."""
    adapter = TypeAdapter(list[kind.shape])  # type: ignore[name-defined]
    for start in range(0, len(rows), _AT_ONCE):
        chunk = rows[start : start + _AT_ONCE]
        try:
            shapes = adapter.validate_python(chunk)
        except ValidationError:
            for index, row in enumerate(chunk, start):
                found = sound_part(row, kind, joined(path, (index,)), faults)
                if found is not None:
                    yield Checked(index, *found)
        else:
            for index, shape in enumerate(shapes, start):
                yield Checked(index, shape)


def sound_part(
    row: object, kind: Kind[Shape], path: str, faults: list[Fault]
) -> tuple[Shape, frozenset[str]] | None:
    """Give a row without its broken fields, and their names; None where nothing of it is sound."""
    try:
        return kind.shape.model_validate(row), frozenset()
    except ValidationError as error:
        faults.extend(faults_of(error, kind.shape, path))
        broken = frozenset(str(item["loc"][0]) for item in error.errors() if item["loc"])
    if not isinstance(row, dict):
        return None
    names = {field.alias or name for name, field in kind.shape.model_fields.items()} - broken
    rest = {key: value for key, value in row.items() if isinstance(key, str) and key in names}
    whole = {key: value for key, value in kind.stand_ins.items() if key not in rest} | rest
    if len(row) == len(rest) == len(whole):
        return None
    # A key that is no valid text makes pydantic give up on a row at once: the rest is yet unseen.
    found = sound_part(whole, kind, path, faults)
    return None if found is None else (found[0], broken | found[1])
