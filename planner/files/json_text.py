"""JSON text to plain data, refusing what Python's reader lets pass: repeated keys, great depth."""

import json
import re
from collections.abc import Callable

from models.errors import Fault, InputFault
from planner.files.source import shown
from planner.files.yaml_text import MAX_DEPTH, MAX_FAULTS

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str, name: str) -> object:
    """Give the value of a JSON text. ``NaN`` and ``Infinity`` become floats.

    Raises
    ------
    InputFault
        With line and column of a syntax error, the path of each repeated key, or what else the
        text holds that nothing could write again. ``name`` is the path of the faults.
    """
    try:
        value = _loaded(text, name, _unique)
    except _Repeated:
        # A hook cannot know where in the text it is, so read once more and keep all pairs.
        raise InputFault(_repeated_keys(_loaded(text, name, _Pairs), name)) from None
    if _is_deeper(value, MAX_DEPTH):
        raise _too_deep(name)
    if _SURROGATE_ESCAPE.search(text) and _LONE_SURROGATE.search(
        json.dumps(value, ensure_ascii=False)
    ):
        message = "holds one half of a surrogate pair (\\ud800 to \\udfff), which is no character."
        raise InputFault([Fault(name, message)])
    return value


class _Repeated(Exception):
    """Some object has a key twice."""


class _Pairs(list[tuple[str, object]]):
    """An object as its pairs; its type tells it from a list."""


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Repeated
    return found


def _loaded(text: str, name: str, hook: Callable[[list[tuple[str, object]]], object]) -> object:
    try:
        value: object = json.loads(text, object_pairs_hook=hook)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputFault([Fault(name, f"{place}: is not JSON: {error.msg}.")]) from None
    except RecursionError:
        raise _too_deep(name) from None
    except ValueError:
        # The one ValueError left: Python reads no integer of more than 4300 digits.
        message = "holds a number of more than 4300 digits; quote it if it is text."
        raise InputFault([Fault(name, message)]) from None
    return value


def _too_deep(name: str) -> InputFault:
    return InputFault([Fault(name, f"is nested more than {MAX_DEPTH} levels deep.")])


def _is_deeper(value: object, levels: int) -> bool:
    """Tell whether containers lie within each other more than ``levels`` deep, level by level."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _repeated_keys(value: object, name: str) -> list[Fault]:
    """Give a fault for each key that an object has again, in the order of the text."""
    faults: list[Fault] = []
    # Reversed at each step, since the last one pushed is the next one taken.
    left = [("", value)]
    while left and len(faults) < MAX_FAULTS:
        path, inner = left.pop()
        if isinstance(inner, _Pairs):
            place = f"{name}: {shown(path)}" if path else name
            faults += [Fault(place, f"duplicate key {key}; keep one.") for key in _again(inner)]
            left += [(f"{path}.{key}" if path else key, part) for key, part in reversed(inner)]
        elif isinstance(inner, list):
            left += [(f"{path}[{i}]", part) for i, part in reversed(list(enumerate(inner)))]
    return faults[:MAX_FAULTS]


def _again(pairs: _Pairs) -> list[str]:
    seen: set[str] = set()
    again = []
    for key, _ in pairs:
        if key in seen:
            again.append(repr(key)[:60])
        seen.add(key)
    return again
