"""Settings from plain data and from ``path=value``."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from models.documents.faults import faults_of, nearest, shown
from models.errors import Fault, InputFault
from models.rows import API_VERSION
from models.settings.metadata import Metadata, metadata_from
from models.settings.paths import leaves, over, paths, without_nulls
from models.settings.sections import Settings
from models.settings.writing import settings_document

_HEAD = {"apiVersion": API_VERSION, "kind": "Settings"}


def settings_from(mapping: Mapping[str, Any], path: str = "") -> Settings:
    """Read settings; what is absent or null has its default. ``path`` begins each fault's path.

    A document's ``apiVersion``, ``kind`` and ``metadata`` are taken where they are right.

    Raises
    ------
    InputFault
        With every fault, each with its path and value.
    """
    if not isinstance(mapping, Mapping):
        raise InputFault([Fault(path, f"{shown(mapping)} is not a mapping of settings.")])
    told = {key: value for key, value in without_nulls(mapping).items() if key != "metadata"}
    faults = [
        Fault(f"{path}.{name}" if path else name, f"{shown(told[name])} is not {wanted}.")
        for name, wanted in _HEAD.items()
        if told.get(name, wanted) != wanted
    ]
    try:
        recorded(mapping, path)
    except InputFault as fault:
        faults += fault.faults
    try:
        settings = Settings.model_validate({k: v for k, v in told.items() if k not in _HEAD})
    except ValidationError as error:
        faults += faults_of(error, Settings, path)
    if faults:
        raise InputFault(faults)
    return settings


def recorded(mapping: Mapping[str, Any], path: str = "") -> Metadata:
    """Read what a document of settings says of itself, its ``metadata``.

    Raises
    ------
    InputFault
        With every fault, one for each source of what is no setting among them.
    """
    settings = dict(leaves(settings_document(Settings())))
    place = f"{path}.metadata" if path else "metadata"
    return metadata_from(mapping.get("metadata"), settings, place)


def with_overrides(settings: Settings, overrides: Sequence[str]) -> Settings:
    """Give the settings with each ``path=value`` put in, later ones last.

    A value is JSON where it reads as such (``0.5``, ``null`` for the default, ``["gpu"]``), else
    text (``15m``, ``off``).

    Raises
    ------
    InputFault
        With every override that names no setting or has no ``=``; else with what the values broke.
    """
    document = settings_document(settings)
    known = set(paths(document))
    faults = []
    for override in overrides:
        name, equals, written = override.partition("=")
        if not equals:
            faults.append(Fault(name, f"{shown(override)} has no value; write path=value."))
        elif name not in known:
            faults.append(
                Fault(name, f"unknown setting (value {shown(written)}){nearest(name, known)}")
            )
        else:
            _put(document, name.split("."), _value(written))
    if faults:
        raise InputFault(faults)
    return settings_from(document)


def settings_named(override: str) -> list[str]:
    """Give the paths of the settings that a ``path=value`` sets: of a section those in its value.

    Null for a section sets all of it.
    """
    name, _, written = override.partition("=")
    told = [path for path, _ in leaves({name: _value(written)})]
    return [
        path
        for path, _ in leaves(settings_document(Settings()))
        if any(f"{path}.".startswith(f"{one}.") for one in told)
    ]


def _put(document: dict[str, Any], parts: list[str], value: Any) -> None:
    *above, last = parts
    for part in above:
        # An override before may have put a text where a section belongs; it is refused later.
        document = document[part] if isinstance(document.get(part), dict) else {}
    document[last] = over(document.get(last), value)


def _value(written: str) -> Any:
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return written
