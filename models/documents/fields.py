"""Kinds of fields that documents and settings share, as annotated types."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, GetPydanticSchema, PlainSerializer, PlainValidator
from pydantic_core import core_schema

from models.duration import format_duration, parse_duration
from models.need import MAX_COUNT

LONGEST_TEXT = 4096
"""Characters of the longest name; the limit also makes pydantic look at the text itself, so that
half a surrogate pair, which no output could write, is refused."""

_BIG = 2**63 - 1

_LONGEST_DURATION = 64
"""Characters of a text that ``parse_duration`` looks at."""


def _refused_as(kind: str) -> GetPydanticSchema:
    """Report one error of type ``kind`` where a union would report one for each of its members.

    The sentence is written in ``models.documents.faults``, which sees the value.
    """
    return GetPydanticSchema(
        lambda source, handler: core_schema.custom_error_schema(
            handler(source), custom_error_type=kind, custom_error_message=kind
        )
    )


def whole(value: object) -> object:
    """Give 64 for 64.0, which tables with gaps make of it; 2.5 is refused by what follows."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Key = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
"""A key of a mapping: text that is not empty."""

_Integer = Annotated[int, Field(ge=-_BIG, le=_BIG)]

Name = Annotated[Key | _Integer, _refused_as("name")]
"""A name: text that is not empty, or an integer, which readers of YAML make of 007."""

Text = Annotated[Annotated[str, Field(max_length=LONGEST_TEXT)] | _Integer, _refused_as("text")]
"""Any text, the empty one too, or an integer."""

Amount = Annotated[
    Annotated[str, Field(max_length=LONGEST_TEXT)] | int | float, _refused_as("amount")
]
"""A quantity as written; see ``models.quantity``."""

Moment = Annotated[str | datetime, _refused_as("moment")]
"""A point in time as written, or as a reader of YAML understood it."""

Money = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=MAX_COUNT), BeforeValidator(whole)]
Positive = Annotated[int, Field(ge=1, le=MAX_COUNT), BeforeValidator(whole)]
Int32 = Annotated[int, Field(ge=-(2**31), le=2**31 - 1), BeforeValidator(whole)]


def _seconds(value: Any) -> float:
    return parse_duration(value)


def written_duration(seconds: float) -> str | float:
    """Write a length of time so that ``parse_duration`` gives the very same number back."""
    short = format_duration(seconds)
    if len(short) <= _LONGEST_DURATION and parse_duration(short) == seconds:
        return short
    exact = f"{Decimal(repr(seconds)):f}s"
    return exact if len(exact) <= _LONGEST_DURATION else seconds


Seconds = Annotated[
    float,
    PlainValidator(_seconds, json_schema_input_type=str | float),
    PlainSerializer(written_duration, when_used="json"),
]
"""A length of time, ``10s`` or a number of seconds; kept as seconds, written as text."""
