"""A value inside a JSON document that knows where it is, so that each fault can say its path."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from models.errors import Fault
from models.quantity import parse_quantity, scale_of

_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Place:
    """A value and its path; what is not as expected is noted in ``faults`` and replaced by nothing.

    ``null`` and an absent key are the same: tools write both.
    """

    value: Any
    path: str
    faults: list[Fault]

    def at(self, *keys: str) -> "Place":
        """Give the value under the keys, one below the other; absent where any of them is."""
        place = self
        for key in keys:
            inner = place._checked(dict, "a mapping") or {}
            place = Place(inner.get(key), f"{place.path}.{key}", self.faults)
        return place

    def items(self) -> Iterator["Place"]:
        """Give the values of a list."""
        for number, value in enumerate(self._checked(list, "a list") or []):
            yield Place(value, f"{self.path}[{number}]", self.faults)

    def text(self, default: str | None = None) -> str:
        """Give a text that can be written out; an absent one is ``default``, or a fault."""
        if self.value is None and default is not None:
            return default
        if not isinstance(self.value, str) or not (self.value or default == ""):
            self._note("a text that is not empty")
            return default or ""
        if not self.value.isprintable():
            self._note("a text of printable characters")
            return default or ""
        return self.value

    def whole(self, least: int, most: int) -> int:
        """Give an integer between two bounds; an absent one is 0."""
        if self.value is None:
            return 0
        if type(self.value) is not int or not least <= self.value <= most:
            self._note(f"an integer from {least} to {most}")
            return 0
        return self.value

    def flag(self) -> bool:
        """Give a truth value; an absent one is false."""
        return bool(self._checked(bool, "true or false"))

    def texts(self) -> dict[str, str]:
        """Give a mapping of texts, as labels are."""
        keys = self._checked(dict, "a mapping") or {}
        return {key: self.at(key).text("") for key in sorted(keys)}

    def quantities(self) -> dict[str, int]:
        """Give a mapping of Kubernetes quantities in internal units, without those that are 0."""
        amounts = {}
        for key in sorted(self._checked(dict, "a mapping") or {}):
            try:
                amounts[key] = parse_quantity(self.value[key], scale_of(key))
            except ValueError as error:
                self.faults.append(Fault(f"{self.path}.{key}", str(error)))
        return {key: amount for key, amount in amounts.items() if amount}

    @property
    def is_there(self) -> bool:
        """Tell whether there is anything: an empty list or mapping is nothing."""
        return self.value not in (None, "", [], {})

    def _checked(self, kind: type, word: str) -> Any:
        if self.value is None or isinstance(self.value, kind):
            return self.value
        self._note(word)
        return None

    def _note(self, wanted: str) -> None:
        if self.value is None:
            self.faults.append(Fault(self.path, f"is missing; it should be {wanted}."))
            return
        shown = repr(self.value)
        shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
        self.faults.append(Fault(self.path, f"{shown} is not {wanted}."))
