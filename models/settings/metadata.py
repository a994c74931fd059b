"""What a settings file says of itself: its name, and where each of its values came from.

    metadata:
      name: tuned
      sources: {goals.moves: "--set", rebalance.workers: "fleet.yaml: rebalance.workers"}

It stands in the document itself, since comments are lost by whatever reads and writes YAML.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from models.documents.faults import faults_of, joined, nearest, shown
from models.documents.fields import Key, Text
from models.errors import Fault, InputFault
from models.settings.paths import without_nulls


class Metadata(BaseModel):
    """``sources`` holds the source of a value by the path of its setting; None records nothing.

    Where there are some, a default that has none is recorded to be one.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: Text | None = None
    sources: dict[Key, Key] | None = None


def metadata_from(value: Any, settings: Collection[str], path: str = "metadata") -> Metadata:
    """Read a ``metadata`` block; None is an empty one.

    ``settings`` are the paths of all settings there are: a source of anything else is a fault.

    Raises
    ------
    InputFault
        With every fault, each with its path and value.
    """
    if value is None:
        return Metadata()
    told = without_nulls(value) if isinstance(value, Mapping) else value
    faults, metadata = list(_strangers(told, settings, path)), Metadata()
    try:
        metadata = Metadata.model_validate(told)
    except ValidationError as error:
        faults += faults_of(error, Metadata, path)
    if faults:
        raise InputFault(faults)
    return metadata


def _strangers(told: Any, settings: Collection[str], path: str) -> Iterator[Fault]:
    """Find the sources of what is no setting, also where something else is wrong."""
    sources = told.get("sources") if isinstance(told, Mapping) else None
    for name, source in sources.items() if isinstance(sources, Mapping) else ():
        if isinstance(name, str) and name and name not in settings:
            yield Fault(joined(path, ("sources", name)), _refusal(name, source, settings))


def _refusal(name: str, source: Any, settings: Collection[str]) -> str:
    if any(setting.startswith(f"{name}.") for setting in settings):
        return f"is a section (source {shown(source)}); name the settings in it."
    return f"unknown setting (source {shown(source)}){nearest(name, settings)}"
