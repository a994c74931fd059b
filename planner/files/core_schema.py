"""The meaning of a YAML scalar in the core schema of YAML 1.2: ``no`` and ``1:30`` are text."""

import re
from collections.abc import Callable
from functools import partial

Scalar = None | bool | int | float | str

MAX_NUMBER_CHARACTERS = 1000
"""Longer numbers are refused: Python writes no integer beyond 4300 digits, so none may get in."""

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_FORMS: tuple[tuple[re.Pattern[str], Callable[[str], int | float]], ...] = (
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"), float),
    (re.compile(r"0o[0-7]+"), partial(int, base=8)),
    (re.compile(r"0x[0-9a-fA-F]+"), partial(int, base=16)),
)

_TAGGED: dict[str, type] = {
    "tag:yaml.org,2002:null": type(None),
    "tag:yaml.org,2002:bool": bool,
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": float,
}
_TEXT_TAGS = ("!", "tag:yaml.org,2002:str")


def plain(text: str) -> Scalar:
    """Give the value of an unquoted scalar without a tag.

    ``010`` is ten. Numbers with a point or an exponent are floats, whose shortest decimal form
    says what was written up to 15 digits: ``129e6`` is 129 million.

    Raises
    ------
    ValueError
        When a number has more than ``MAX_NUMBER_CHARACTERS``.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    return _number(text)


def tagged(tag: str, text: str) -> Scalar:
    """Give the value of a scalar with an explicit tag.

    Raises
    ------
    ValueError
        When the tag is not one of the core schema, or the text is no such value.
    """
    if tag in _TEXT_TAGS:
        return text
    wanted = _TAGGED.get(tag)
    if wanted is None:
        raise ValueError(f"the tag {tag[:80]!r} is not known; leave it out.")
    value = plain(text)
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        raise ValueError(f"{text[:40]!r} does not fit its tag {tag!r}; leave the tag out.")
    return value


def _number(text: str) -> Scalar:
    """Give the number that ``text`` writes, or the text itself."""
    read = _reader(text)
    if read is None:
        return text
    if len(text) > MAX_NUMBER_CHARACTERS:
        raise ValueError(f"a number of {len(text)} characters is too long; quote it if it is text.")
    return read(text)


def _reader(text: str) -> Callable[[str], int | float] | None:
    for form, read in _FORMS:
        if form.fullmatch(text):
            return read
    return None
