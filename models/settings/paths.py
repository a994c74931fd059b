"""Settings by path: ``goals.moves`` is the setting ``moves`` of the section ``goals``."""

from collections.abc import Iterator, Mapping
from typing import Any


def leaves(document: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Give path and value of each setting, in the order of the document; sections are none."""
    for name, value in document.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{above}{name}.")
        else:
            yield above + name, value


def paths(document: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Give the path of each setting and of each section."""
    for name, value in document.items():
        yield above + name
        if isinstance(value, Mapping):
            yield from paths(value, f"{above}{name}.")
