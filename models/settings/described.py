"""Each setting with its default, its unit and what it does, read off the sections."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from models.settings.paths import leaves
from models.settings.sections import Settings
from models.settings.writing import settings_document


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting; ``default`` is plain data, ``unit`` is "" where it counts nothing."""

    path: str
    default: Any
    unit: str
    text: str


def described() -> list[Setting]:
    """Give every setting, in the order of the document."""
    defaults = dict(leaves(settings_document(Settings())))
    return [Setting(path, defaults[path], unit, text) for path, unit, text in _fields(Settings, "")]


def _fields(section: type[BaseModel], above: str) -> Iterator[tuple[str, str, str]]:
    for name, field in section.model_fields.items():
        path, kind, more = (
            f"{above}{field.alias or name}",
            field.annotation,
            field.json_schema_extra,
        )
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _fields(kind, f"{path}.")
        else:
            unit = str(more["unit"]) if isinstance(more, dict) else ""
            yield path, unit, field.description or ""
