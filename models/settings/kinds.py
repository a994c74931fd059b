"""Kinds of settings as annotated types: what may stand in a field, and what is said of it."""

from itertools import pairwise
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from models.bootstrap import checked_patterns
from models.documents.fields import Key, Money, Seconds, Share, whole

LARGEST_WEIGHT = 1e9
"""USD a unit of a goal; no weight may be larger, so that costs stay finite and comparable."""

SECTION = ConfigDict(strict=True, extra="forbid", frozen=True)


def said(default: Any, unit: str, text: str, alias: str | None = None) -> Any:
    """Give a field with its default, its unit ("" has none) and one line on what it does."""
    return Field(default, alias=alias, description=text, json_schema_extra={"unit": unit})


def _tuple(value: Any) -> Any:
    # Files hold lists; frozen models hold tuples.
    return tuple(value) if isinstance(value, list) else value


def _positive(seconds: float) -> float:
    if not seconds > 0:
        raise ValueError("must be longer than 0s.")
    return seconds


def _unsigned(value: float) -> float:
    # -0.0 equals 0.0 but is written differently, and equal settings must have one hash.
    return value + 0.0


def _switch(value: Any) -> Any:
    # Readers of YAML 1.1 take a bare off for false and on for true.
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def _descending(steps: tuple[tuple[int, float], ...]) -> tuple[tuple[int, float], ...]:
    gaps = [gap for gap, _ in steps]
    if not gaps or gaps[-1] != 0 or any(a <= b for a, b in pairwise(gaps)):
        raise ValueError(f"the gaps {gaps} must fall from step to step and end with 0.")
    return steps


Switch = BeforeValidator(_switch)
Period = Annotated[Seconds, AfterValidator(_positive)]
Weight = Annotated[Money, Field(le=LARGEST_WEIGHT), AfterValidator(_unsigned)]
Part = Annotated[Share, AfterValidator(_unsigned)]
Percent = Annotated[int, Field(ge=0, le=100), BeforeValidator(whole)]
Threads = Annotated[int, Field(ge=0, le=1024), BeforeValidator(whole)]
Natural32 = Annotated[int, Field(ge=0, le=2**31 - 1), BeforeValidator(whole)]
Positive32 = Annotated[int, Field(ge=1, le=2**31 - 1), BeforeValidator(whole)]
Names = Annotated[tuple[Key, ...], BeforeValidator(_tuple)]
Patterns = Annotated[Names, AfterValidator(checked_patterns)]
Weights = Annotated[tuple[Weight, Weight, Weight], BeforeValidator(_tuple)]
Step = Annotated[tuple[Natural32, Seconds], BeforeValidator(_tuple)]
Steps = Annotated[tuple[Step, ...], BeforeValidator(_tuple), AfterValidator(_descending)]
