"""A token bucket: so many at once, then so many a second."""

from dataclasses import dataclass, field
from math import floor, inf

_HAIR = 1e-9
"""Many small additions may end this much below the whole number that they mean."""


@dataclass(frozen=True, slots=True)
class Limit:
    """``per_second`` tokens come in, and at most ``burst`` are kept; infinite: no limit.

    Raises
    ------
    ValueError
        When nothing would ever come in, or nothing fit.
    """

    per_second: float = inf
    burst: float = 1.0

    def __post_init__(self) -> None:
        if not self.per_second > 0:
            raise ValueError(f"per_second is {self.per_second}; it is above 0.")
        if not self.burst >= 1:
            raise ValueError(f"burst is {self.burst}; it is 1 or more.")


UNLIMITED = Limit()


@dataclass(slots=True)
class Bucket:
    """Begins full. Pure: whoever asks says what time it is, and it never goes back."""

    limit: Limit
    tokens: float = field(init=False)
    at: float = field(init=False, default=-inf)

    def __post_init__(self) -> None:
        self.tokens = self.limit.burst

    def fits(self, now: float) -> float:
        """Give how many whole tokens there are now."""
        if self.limit.per_second == inf:
            return inf
        if now > self.at:
            grown = 0.0 if self.at == -inf else (now - self.at) * self.limit.per_second
            self.tokens = min(self.limit.burst, self.tokens + grown)
            self.at = now
        return floor(self.tokens + _HAIR)

    def take(self, count: int, now: float) -> int:
        """Take up to ``count`` tokens, and say how many."""
        taken = int(min(count, self.fits(now)))
        if self.limit.per_second != inf:
            self.tokens -= taken
        return taken

    def give_back(self, count: int) -> None:
        """Put back tokens that were not used."""
        self.tokens = min(self.limit.burst, self.tokens + count)

    def wait(self, count: int, now: float) -> float:
        """Give the seconds until ``count`` tokens fit, or the bucket is full, whichever is first.

        That is, if nobody takes any before.
        """
        wanted = min(count, floor(self.limit.burst))
        if self.fits(now) >= wanted:
            return 0.0
        return (wanted - self.tokens) / self.limit.per_second
