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


def over(below: Any, above: Any) -> Any:
    """Give ``above`` put over ``below``: mappings key by key, anything else whole."""
    if not (isinstance(below, Mapping) and isinstance(above, Mapping)):
        return above
    return {**below, **{key: over(below.get(key), value) for key, value in above.items()}}


def without_nulls(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is null, at every depth: it says nothing."""
    return {
        key: without_nulls(value) if isinstance(value, Mapping) else value
        for key, value in mapping.items()
        if value is not None
    }
