"""Which weights are tried: a range for each swept goal, and the grid of all of them."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from models.errors import Fault, InputFault
from models.nearest import did_you_mean
from models.rules import Goal
from models.settings.kinds import LARGEST_WEIGHT

MOST_TRIALS = 10_000
"""At 27 ms a solve, as of the example, these take two minutes and a half on two cores."""

STEPS = 5
"""Where a range does not say."""

_FORM = "goal=lo:hi[:steps][:log]"


@dataclass(frozen=True, slots=True)
class Range:
    """Weights of one goal from ``low`` to ``high``, both tried, USD a unit.

    ``is_log`` spaces them by a common factor instead of a common difference.
    """

    goal: Goal
    low: float
    high: float
    steps: int
    is_log: bool

    def values(self) -> tuple[float, ...]:
        """Give the weights in rising order, to 12 digits: 0.1, not 0.10000000000000002."""
        shares = (step / (self.steps - 1) for step in range(self.steps))
        inner = [float(f"{self._at(share):.12g}") for share in shares][1:-1]
        return (self.low, *inner, self.high)

    def _at(self, share: float) -> float:
        if self.is_log:
            low, high = math.log(self.low), math.log(self.high)
            return math.exp(low + share * (high - low))
        return self.low + share * (self.high - self.low)

    def __str__(self) -> str:
        text = f"{self.goal}={self.low:.12g}:{self.high:.12g}:{self.steps}"
        return f"{text}:log" if self.is_log else text


def ranges_of(texts: Sequence[str]) -> tuple[Range, ...]:
    """Read ranges, each ``goal=lo:hi[:steps][:log]``.

    Raises
    ------
    InputFault
        With every fault of all of them; a goal may have one range only.
    """
    ranges: list[Range] = []
    faults: list[Fault] = []
    for text in texts:
        path = f"--weight {text}"
        try:
            found = _range_of(text)
        except ValueError as error:
            faults.append(Fault(path, str(error)))
            continue
        if found.goal in [other.goal for other in ranges]:
            faults.append(Fault(path, f"{found.goal} has a range already."))
        ranges.append(found)
    if faults:
        raise InputFault(faults)
    return tuple(ranges)


def grid(ranges: Sequence[Range]) -> list[Mapping[Goal, float]]:
    """Give every combination of weights, the last goal changing first.

    Raises
    ------
    InputFault
        As ``check_size``.
    """
    check_size(ranges)
    goals = [each.goal for each in ranges]
    points = product(*(each.values() for each in ranges))
    return [dict(zip(goals, point, strict=True)) for point in points]


def holds(ranges: Sequence[Range], weights: Mapping[Goal, float]) -> bool:
    """Tell whether weights of the swept goals are a point of the grid."""
    return all(weights[each.goal] in each.values() for each in ranges)


def is_within(ranges: Sequence[Range], weights: Mapping[Goal, float]) -> bool:
    """Tell whether weights are those of the swept goals, and each in its range."""
    return set(weights) == {each.goal for each in ranges} and all(
        each.low <= weights[each.goal] <= each.high for each in ranges
    )


def size_of(ranges: Sequence[Range]) -> int:
    """Give the number of points of the grid."""
    return math.prod(each.steps for each in ranges)


def check_size(ranges: Sequence[Range]) -> None:
    """Refuse a grid that is too large.

    Raises
    ------
    InputFault
        When there are more than ``MOST_TRIALS``.
    """
    size = size_of(ranges)
    if size > MOST_TRIALS:
        sizes = " x ".join(str(each.steps) for each in ranges)
        message = (
            f"the grid has {sizes} = {size:,} points, and {MOST_TRIALS:,} are the most; "
            "give fewer steps, or --search pareto with --trials."
        )
        raise InputFault([Fault("--weight", message)])


def _range_of(text: str) -> Range:
    name, equals, rest = text.partition("=")
    parts = rest.split(":")
    if not equals or not 2 <= len(parts) <= 4:
        raise ValueError(f"is not of the form {_FORM}.")
    try:
        goal = Goal(name.strip())
    except ValueError:
        raise ValueError(f"there is no goal {name!r}{did_you_mean(name, map(str, Goal))}") from None
    low, high = _weight(parts[0]), _weight(parts[1])
    is_log = parts[2:] != [] and parts[-1].strip() == "log"
    count = parts[2 : len(parts) - is_log]
    if len(count) > 1:
        raise ValueError(f"is not of the form {_FORM}.")
    steps = _steps(count[0]) if count else STEPS
    if not low < high:
        raise ValueError(f"{low:g} is not below {high:g}; for one weight write --set goals.{goal}.")
    if is_log and low == 0:
        raise ValueError("a range by factors cannot begin at 0; leave :log away, or begin above 0.")
    found = Range(goal, low, high, steps, is_log)
    # A grid of more steps is refused anyway, and a search heeds none.
    if steps <= MOST_TRIALS and not all(low < high for low, high in pairwise(found.values())):
        raise ValueError(f"{steps} steps are too many between weights so near to each other.")
    return found


def _weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = None
    # Python reads 1_0 too, and the digits of every script.
    if weight is None or "_" in text or not text.isascii():
        raise ValueError(f"{text!r} is not a weight; write a number of USD.")
    if not 0 <= weight <= LARGEST_WEIGHT:
        raise ValueError(f"{text!r} is not between 0 and {LARGEST_WEIGHT:g}.")
    return weight + 0.0


def _steps(text: str) -> int:
    if not re.fullmatch(r"\s*[0-9]{1,6}\s*", text):
        raise ValueError(f"{text!r} is not a number of steps; write 2 or more, and log last.")
    if int(text) < 2:
        raise ValueError(f"{text!r} steps are too few; both ends are tried.")
    return int(text)
