"""Numbers for things that come and go: used ones stay, free ones are given out again."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from heapq import heappop, heappush


@dataclass(eq=False, slots=True)
class Numbers:
    """Numbers from 0 on, one for each key that is in use, as many times as it was taken.

    The smallest free one is given out next, so that none is used before all below it were.
    """

    _number: dict[Hashable, int] = field(default_factory=dict)
    _keys: list[Hashable] = field(default_factory=list)
    _uses: list[int] = field(default_factory=list)
    _free: list[int] = field(default_factory=list)
    _since: list[int] = field(default_factory=list)
    _leaving: list[int] = field(default_factory=list)

    def begin(self) -> None:
        """Begin to note what is taken and let go, so that it can be undone."""
        self._since.clear()
        self._leaving.clear()

    def undo(self) -> None:
        """Take back every use since the beginning, as if nobody had asked."""
        while self._since:
            self.release(self._since.pop())

    def end(self) -> None:
        """Release what was let go since the beginning: what was taken stays."""
        for number in self._leaving:
            self.release(number)

    def let_go(self, number: int) -> None:
        """Give back one use at the end: until then nobody else is given the number."""
        self._leaving.append(number)

    def take(self, key: Hashable) -> tuple[int, bool]:
        """Give the key's number, and whether it is new: it stands for nothing yet then."""
        if not self._free:
            self._free.append(len(self._keys))
            self._keys.append(None)
            self._uses.append(0)
        # One look-up: keys may be long.
        number = self._number.setdefault(key, self._free[0])
        self._uses[number] += 1
        self._since.append(number)
        is_new = number == self._free[0]
        if is_new:
            self._keys[number] = key
            heappop(self._free)
        return number, is_new

    def take_again(self, number: int) -> int:
        """Take a number that is in use; give it back."""
        self._uses[number] += 1
        self._since.append(number)
        return number

    def release(self, number: int) -> None:
        """Take one use back; after the last one the number is free."""
        self._uses[number] -= 1
        if not self._uses[number]:
            del self._number[self._keys[number]]
            heappush(self._free, number)
