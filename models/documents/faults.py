"""What pydantic found wrong, as the house says it: path, value, what to do."""

import re
from collections.abc import Collection, Mapping
from reprlib import Repr
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from models.errors import Fault
from models.nearest import nearest_name

_SHOWN = 60
"""Characters of a value that a message repeats."""

_SENTENCES = {
    "int_type": "is not a whole number.",
    "int_from_float": "is not a whole number.",
    "float_type": "is not a number; write it without quotes.",
    "finite_number": "is not a finite number.",
    "string_type": "is not a text; put it in quotes.",
    "string_too_short": "must not be empty.",
    "string_unicode": "is not valid Unicode text.",
    "bool_type": "is neither true nor false.",
    "list_type": "is not a list.",
    "dict_type": "is not a mapping.",
    "model_type": "is not a mapping.",
    "amount": "is not a quantity; write a number or a text as in 1500m, 1Gi.",
    "moment": "is not a point in time; write it relative to now as in -10m, or as RFC 3339.",
}


def shown(value: object) -> str:
    """Write a value for a message: in one line, as YAML has it, cut where it is long."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 200:
        return f"an integer of {value.bit_length()} bits"
    text = _brief(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def nearest(name: object, known: Collection[str]) -> str:
    """Give `; did you mean X?` or, where nothing is near, the names there are."""
    close = nearest_name(name, known) if isinstance(name, str) else None
    if close is not None:
        return f"; did you mean {_brief(close)}?"
    if not known:
        return "."
    few = sorted(set(known))
    return "; known: " + ", ".join(map(_plain, few[:8])) + (", ..." if len(few) > 8 else ".")


def faults_of(error: ValidationError, model: type[BaseModel], path: str) -> list[Fault]:
    """Give one fault for each thing that ``model`` refused in the value at ``path``.

    Of what stands under a key that is refused nothing more is said: it has no name.
    """
    items = error.errors(include_url=False)
    nameless = {item["loc"][:-1] for item in items if item["loc"][-1:] == ("[key]",)}
    return [
        _fault(item, model, path)
        for item in items
        if item["loc"][-1:] == ("[key]",)
        or not any(item["loc"][:depth] in nameless for depth in range(len(item["loc"]) + 1))
    ]


def joined(path: str, location: tuple[int | str, ...]) -> str:
    """Append names and row numbers to a path: ``machines[3].labels.zone``."""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{_plain(part)}" if path else _plain(part)
    return path


def _fault(item: Mapping[str, Any], model: type[BaseModel], path: str) -> Fault:
    location: tuple[int | str, ...] = item["loc"]
    kind, value = item["type"], item["input"]
    if kind == "invalid_key" or location[-1:] == ("[key]",):
        above = location[:-2] if location[-1:] == ("[key]",) else location[:-1]
        return Fault(
            joined(path, above),
            f"the key {shown(value)} is empty, too long or no text; put it in quotes.",
        )
    where = joined(path, location)
    if kind == "missing" or (value is None and kind != "extra_forbidden"):
        return Fault(where, "is required, and null or absent.")
    if kind == "extra_forbidden":
        known = _fields_at(model, location[:-1])
        return Fault(where, f"unknown field (value {shown(value)}){nearest(location[-1], known)}")
    return Fault(where, _sentence(kind, value, item))


def _sentence(kind: str, value: object, item: Mapping[str, Any]) -> str:
    context = item.get("ctx", {})
    if kind == "value_error":
        message = str(context["error"])
        named = isinstance(value, Mapping | list) or shown(value) in message
        return message if named else f"{shown(value)}: {message}"
    if kind in ("name", "text"):
        return f"{shown(value)} {_text_refusal(value)}"
    if kind in ("literal_error", "enum"):
        known = re.findall("'([^']*)'", context["expected"])
        return f"{shown(value)} is not one of {', '.join(known)}{_guess(value, known)}"
    if kind in ("greater_than_equal", "greater_than", "less_than_equal", "less_than"):
        return f"{shown(value)} is out of range: {item['msg'].removeprefix('Input ')}."
    return f"{shown(value)} {_SENTENCES.get(kind, 'is refused: ' + item['msg'] + '.')}"


def _guess(value: object, known: list[str]) -> str:
    by_upper = {name.upper(): name for name in known}
    close = nearest_name(value.upper(), by_upper) if isinstance(value, str) else None
    return f"; did you mean {by_upper[close]}?" if close is not None else "."


def _text_refusal(value: object) -> str:
    if value == "":
        return "must not be empty."
    if isinstance(value, str):
        return "is too long or no valid Unicode text."
    return "is not a text; put it in quotes."


def _fields_at(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """Give the names that the mapping at ``location`` may have."""
    for part in location:
        if isinstance(part, str):
            by_alias = {field.alias or name: field for name, field in model.model_fields.items()}
            inner = _models_in(by_alias[part].annotation) if part in by_alias else []
            if not inner:
                return []
            model = inner[0]
    return [field.alias or name for name, field in model.model_fields.items()]


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models_in(inner)]


def _plain(part: str) -> str:
    # A key may be anything; a path stays one readable line.
    printable = part if part.isprintable() else ascii(part)[1:-1]
    return printable if len(printable) <= 3 * _SHOWN else printable[: 3 * _SHOWN] + "..."


def _brief(value: object) -> str:
    writer = Repr()
    writer.maxstring = writer.maxother = writer.maxlong = _SHOWN
    try:
        text = writer.repr(value)
    except ValueError:  # an integer of more than 4300 digits somewhere inside
        return f"a {type(value).__name__}"
    return text.encode("ascii", "backslashreplace").decode() if not text.isprintable() else text
