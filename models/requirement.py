"""One requirement of a need on one label of a machine, as in Kubernetes node affinity."""

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

_NUMBER = re.compile(r"[+-]?[0-9]+|v?[0-9]+(?:\.[0-9]+)*", re.ASCII)

Number = tuple[Decimal, ...]


class Operator(StrEnum):
    """How a label is compared with the values; the value is the word in files."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"
    GT = "Gt"
    LT = "Lt"
    GTE = "Gte"
    LTE = "Lte"


_COMPARE: dict[Operator, Callable[[Number, Number], bool]] = {
    Operator.GT: operator.gt,
    Operator.LT: operator.lt,
    Operator.GTE: operator.ge,
    Operator.LTE: operator.le,
}


@dataclass(frozen=True, slots=True, order=True)
class Requirement:
    """What a need asks of one label.

    Raises
    ------
    ValueError
        When the key is empty, or the number or form of the values does not suit the operator.
    """

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.key:
            raise ValueError("the key of a requirement must not be empty.")
        count = len(self.values)
        if self.operator in (Operator.IN, Operator.NOT_IN):
            if not count:
                raise ValueError(f"{self.operator} needs at least one value.")
        elif self.operator in _COMPARE:
            if count != 1:
                raise ValueError(f"{self.operator} needs exactly one value, not {count}.")
            if as_number(self.values[0]) is None:
                raise ValueError(
                    f"{self.operator} needs an integer or a dotted version, "
                    f"not {self.values[0][:40]!r}."
                )
        elif count:
            raise ValueError(f"{self.operator} takes no values, but {count} are given.")

    def __str__(self) -> str:
        return f"{self.key} {self.operator} {', '.join(self.values)}".rstrip()

    def matches(self, value: str | None) -> bool:
        """Tell whether a machine with this value of the label fits; None: it lacks the label.

        A machine without the label fits ``NotIn`` and ``DoesNotExist`` only. The ordered operators
        compare integers and dotted versions by value and fit nothing else.
        """
        return self._test()(value)

    def matches_each(self, values: Sequence[str | None]) -> NDArray[np.bool_]:
        """Tell the same for many machines; shape ``(len(values),)``. Equal values cost once."""
        test = self._test()
        answers = {value: test(value) for value in set(values)}
        return np.fromiter((answers[value] for value in values), np.bool_, len(values))

    def _test(self) -> Callable[[str | None], bool]:
        wanted = self.values
        match self.operator:
            # No value is None, so a machine without the label is never in and always not in.
            case Operator.IN:
                return lambda value: value in wanted
            case Operator.NOT_IN:
                return lambda value: value not in wanted
            case Operator.EXISTS:
                return lambda value: value is not None
            case Operator.DOES_NOT_EXIST:
                return lambda value: value is None
        compare, bound = _COMPARE[self.operator], as_number(self.values[0])

        def ordered(value: str | None) -> bool:
            number = None if value is None else as_number(value)
            return number is not None and bound is not None and compare(number, bound)

        return ordered


def as_number(text: str) -> Number | None:
    """Read an integer of any size or a dotted version (``v1.30.2``); None when it is neither.

    Versions are equal when they differ in zeros at the end only: 1.30 is 1.30.0. A suffix
    (``v1.30.2-gke.100``) makes a text no version.
    """
    if _NUMBER.fullmatch(text) is None:
        return None
    # Decimals, since int() refuses more than 4300 digits; comparing decimals never rounds.
    parts = [Decimal(part) for part in text.removeprefix("v").split(".")]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return tuple(parts)
