"""Plain data as YAML that YAML 1.1 and 1.2 read alike: machines one a line, the rest in blocks."""

import json
import math
import re
from collections.abc import Iterator, Mapping

ROWS = "machines"
"""The list whose mappings are written one a line: a fleet has too many for blocks."""

# Words with a letter in front are never numbers, times or dates in either version. Everything
# else goes in quotes, text that people write among it: a reader cannot tell, and need not.
_SAFE = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_./-]| (?=[A-Za-z0-9_]))*")
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"))

# What YAML refuses raw (controls, halves of pairs, U+FFFE) or folds as a line break (U+0085,
# U+2028, U+2029); json.dumps has escaped what is below U+0020 by then.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")

_LONGEST_KEY = 1000
"""A longer key needs a ``?``: a reader looks for its colon in 1024 characters at most."""


def dump_yaml(data: object) -> str:
    """Write mappings, lists and scalars; reading gives an equal value again.

    Raises
    ------
    TypeError
        For a key that is no text, or a value that is no plain data.
    """
    return "\n".join(_block(data, "")) + "\n"


def _block(value: object, indent: str) -> Iterator[str]:
    """Give the lines of a value, each with ``indent``."""
    if not _has_block(value):
        yield indent + _flow(value)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _entry(key, inner, indent)
    elif isinstance(value, list | tuple):
        for inner in value:
            # The first line of the item stands beside the dash, which is two columns wide.
            first, *rest = _block(inner, indent + "  ")
            yield f"{indent}- {first[len(indent) + 2 :]}"
            yield from rest


def _entry(key: str, value: object, indent: str) -> Iterator[str]:
    """Give the lines of one entry of a mapping."""
    head = f"{indent}{_text(key)}:"
    if not _has_block(value):
        yield f"{head} {_flow(value)}"
        return
    yield head
    if key == ROWS and isinstance(value, list | tuple):
        for row in value:
            yield f"{indent}  - {_flow(row)}"
    else:
        yield from _block(value, indent + "  ")


def _has_block(value: object) -> bool:
    """Tell whether a value is written over several lines: it has parts, and short keys."""
    if isinstance(value, Mapping):
        return bool(value) and all(len(_text(key)) < _LONGEST_KEY for key in value)
    return isinstance(value, list | tuple) and bool(value)


def _flow(value: object) -> str:
    """Write a value on one line."""
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(_pair(key, inner) for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    raise TypeError(f"{type(value).__name__} is no plain data.")


def _pair(key: str, value: object) -> str:
    text = _text(key)
    return f"{'? ' if len(text) >= _LONGEST_KEY else ''}{text}: {_flow(value)}"


def _text(text: str) -> str:
    if _SAFE.fullmatch(text) and text.lower() not in _WORDS:
        return str.__str__(text)
    quoted = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = float.__repr__(value)
    # YAML 1.1 takes 1e+18 for text; with a point both versions read a number.
    return text if "." in text else text.replace("e", ".0e")
