"""A sweep as it is asked for: fleets from files, ranges of weights, and what must be installed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain

from models.errors import Fault, InputFault
from models.settings import Settings, leaves, settings_document, settings_hash
from planner.opening import Opened, Sources, open_fleet
from planner.settings.layers import Layered
from planner.tune.expected import Expected, shape_of
from planner.tune.ground import Ground, ground_of
from planner.tune.journal import Head
from planner.tune.named_files import named_twice
from planner.tune.space import Range, check_size, holds, ranges_of, size_of
from planner.tune.study import Proposals, every_point, present_trial
from planner.tune.trial import Trial
from rebalancer.settings import goals_from


@dataclass(frozen=True, eq=False, slots=True)
class Request:
    """What is to be solved.

    Attributes
    ----------
    settings
        They hold for all fleets, and with them where they came from.
    trials
        How many a search proposes; None: every point of the grid is tried.
    """

    grounds: Sequence[Ground]
    ranges: Sequence[Range]
    settings: Layered
    trials: int | None

    @property
    def count(self) -> int:
        """Give how many trials there will be."""
        if self.trials is not None:
            return self.trials + 1
        return size_of(self.ranges) + (not holds(self.ranges, self._present().weights))

    def proposals(self) -> Proposals:
        """Give the trials, those of a search as results come back."""
        if self.trials is None:
            return every_point(self.ranges, self._present())
        from planner.tune.pareto import evolved

        seed = self.settings.settings.rebalance.seed
        return evolved(self.ranges, self._present(), self.trials, seed)

    def expected(self) -> Expected:
        """Give which results there can be."""
        first = [self._present()] if self.trials is not None else next(self.proposals())
        return Expected(
            trials={trial.number: trial for trial in first},
            search=None if self.trials is None else self.ranges,
            shapes=[shape_of(ground.snapshot) for ground in self.grounds],
        )

    def head(self) -> Head:
        """Give what a journal must agree in."""
        return {
            "fleets": [ground.digest for ground in self.grounds],
            "settings": settings_hash(self.settings.settings),
            "weights": [str(each) for each in self.ranges],
            "search": "grid" if self.trials is None else "pareto",
        }

    def _present(self) -> Trial:
        return present_trial(self.ranges, goals_from(self.settings.settings))


def request_of(
    paths: Sequence[str], weights: Sequence[str], sources: Sources, trials: int | None
) -> Request:
    """Read what is asked for, and cycle the shards of every fleet.

    Raises
    ------
    InputFault
        With every fault of ranges and files; when a fleet is named twice, or the settings of two
        are not the same: the weights of one could not be compared with those of the other.
    """
    faults: list[Fault] = []
    ranges: Sequence[Range] = ()
    try:
        ranges = ranges_of(weights)
        if trials is None:
            check_size(ranges)
    except InputFault as fault:
        faults += fault.faults
    opened: list[Opened] = []
    for path in paths:
        try:
            opened.append(open_fleet(path, sources))
        except InputFault as fault:
            # Faults of options are those of every fleet.
            faults += [each for each in fault.faults if each not in faults]
    faults += chain(named_twice(paths), _differing([(each.path, each.settings) for each in opened]))
    if faults:
        raise InputFault(faults)
    settings = Layered(opened[0].settings, opened[0].origins)
    grounds = [ground_of(each.path, each.fleet, each.settings) for each in opened]
    return Request(grounds, ranges, settings, trials)


def check_installed(module: str, option: str, extra: str) -> None:
    """Refuse an option whose package is not there.

    Raises
    ------
    InputFault
        When it is not.
    """
    if find_spec(module) is None:
        message = f"needs {module}, which is not installed: pip install 'bigfleet[{extra}]'."
        raise InputFault([Fault(option, message)])


def _differing(named: Sequence[tuple[str, Settings]]) -> Iterator[Fault]:
    for path, settings in named[1:]:
        first, other = (dict(leaves(settings_document(s))) for s in (named[0][1], settings))
        for setting, value in other.items():
            if value != first[setting]:
                message = (
                    f"{setting} is {value} here and {first[setting]} in {named[0][0]}; "
                    f"say which with --set {setting}=..."
                )
                yield Fault(path, message)
