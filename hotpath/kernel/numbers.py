"""Numbers for things that come and go: used ones stay, free ones are given out again."""

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Numbers:
    """Numbers from 0 on, one for each key that is in use, as many times as it was taken."""

    _number: dict[Hashable, int] = field(default_factory=dict)
    _uses: dict[Hashable, int] = field(default_factory=dict)
    _free: list[int] = field(default_factory=list)

    def of(self, key: Hashable) -> int:
        """Give the number of a key that is in use."""
        return self._number[key]

    def take(self, key: Hashable) -> tuple[int, bool]:
        """Give the key's number, and whether it is new: it stands for nothing yet then."""
        is_new = key not in self._number
        if is_new:
            at = self._free.pop() if self._free else len(self._number)
            self._number[key], self._uses[key] = at, 0
        self._uses[key] += 1
        return self._number[key], is_new

    def release(self, key: Hashable) -> None:
        """Take one use back; after the last one the number is free."""
        self._uses[key] -= 1
        if not self._uses[key]:
            del self._uses[key]
            self._free.append(self._number.pop(key))
