"""Numbers for things that come and go: used ones stay, free ones are given out again."""

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Numbers:
    """Numbers from 0 on, one for each key that is in use, as many times as it was taken."""

    _number: dict[Hashable, int] = field(default_factory=dict)
    _keys: list[Hashable] = field(default_factory=list)
    _uses: list[int] = field(default_factory=list)
    _free: list[int] = field(default_factory=list)

    def take(self, key: Hashable) -> tuple[int, bool]:
        """Give the key's number, and whether it is new: it stands for nothing yet then."""
        if not self._free:
            self._free.append(len(self._keys))
            self._keys.append(None)
            self._uses.append(0)
        # One look-up: keys may be long.
        number = self._number.setdefault(key, self._free[-1])
        self._uses[number] += 1
        is_new = number == self._free[-1]
        if is_new:
            self._keys[number] = key
            self._free.pop()
        return number, is_new

    def take_again(self, number: int) -> int:
        """Take a number that is in use; give it back."""
        self._uses[number] += 1
        return number

    def release(self, number: int) -> None:
        """Take one use back; after the last one the number is free."""
        self._uses[number] -= 1
        if not self._uses[number]:
            del self._number[self._keys[number]]
            self._free.append(number)
