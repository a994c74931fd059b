"""Propose weights by evolution: NSGA-II of Optuna, which looks for the whole Pareto front.

K. Deb et al., A fast and elitist multiobjective genetic algorithm: NSGA-II, IEEE Transactions on
Evolutionary Computation 6(2), 2002.
"""

from collections.abc import Generator, Sequence

import optuna
from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.samplers import NSGAIISampler
from optuna.trial import TrialState

from planner.tune.space import Range
from planner.tune.totals import totals_of
from planner.tune.trial import PRESENT, Result, Trial

POPULATION = 20
"""Trials of a generation, all of which may be under way at a time."""


def evolved(
    ranges: Sequence[Range], present: Trial, count: int, seed: int
) -> Generator[list[Trial], Sequence[Result], None]:
    """Propose ``count`` trials, a generation at a time; wants the results of each, in its order.

    The first generation has the present weights too. What is proposed depends only on the seed and
    on the results, so that a sweep that is resumed goes on the same way. Every objective is to be
    small: machines that do not serve, drained, created, and the value of each goal.
    """
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    spread: dict[str, BaseDistribution] = {
        str(each.goal): FloatDistribution(each.low, each.high, log=each.is_log) for each in ranges
    }
    results = yield [present]
    width = totals_of(results).vectors.shape[1] if results and not results[0].failure else 0
    study = optuna.create_study(
        directions=["minimize"] * max(1, width),
        sampler=NSGAIISampler(population_size=POPULATION, seed=seed),
    )
    number = PRESENT
    while number < count:
        asked = [study.ask(spread) for _ in range(min(POPULATION, count - number))]
        trials = []
        for each in asked:
            number += 1
            weights = {range_.goal: float(each.params[str(range_.goal)]) for range_ in ranges}
            trials.append(Trial(number, weights))
        results = yield trials
        for each, result in zip(asked, results, strict=True):
            values = [] if result.failure else totals_of([result]).vectors[0].tolist()
            if len(values) == max(1, width):
                study.tell(each, values)
            else:
                study.tell(each, state=TrialState.FAIL)
