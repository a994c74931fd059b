"""A whole sweep: what is proposed, what is known from a journal already, and what is solved."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing

from models.rules import Goal
from planner.tune.journal import Journal
from planner.tune.space import Range, grid, holds
from planner.tune.sweep import Crew, sweep
from planner.tune.trial import PRESENT, Result, Trial

Proposals = Generator[list[Trial], Sequence[Result], None]
"""Gives trials to be solved together, and is sent their results in the same order."""


def every_point(ranges: Sequence[Range], present: Trial) -> Proposals:
    """Propose the whole grid at once, and before it the present weights if they are none of it.

    Raises
    ------
    InputFault
        As ``space.grid``.
    """
    first = [] if holds(ranges, present.weights) else [present]
    yield [*first, *(Trial(*each) for each in enumerate(grid(ranges), PRESENT + 1))]


def present_trial(ranges: Sequence[Range], weights: Mapping[Goal, float]) -> Trial:
    """Give the trial of the present weights."""
    return Trial(PRESENT, {each.goal: weights[each.goal] for each in ranges})


def study(
    proposals: Proposals,
    crew: Crew,
    room: int,
    journal: Journal | None = None,
    on_result: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Solve what is proposed, but for what the journal has; results in the order of proposals.

    ``on_result`` hears of every result as it comes, of those in the journal first.
    """
    results: list[Result] = []
    trials = next(proposals, None)
    while trials is not None:
        known = {} if journal is None else journal.results
        found = {
            trial.number: known[trial.number]
            for trial in trials
            if trial.number in known and known[trial.number].trial == trial
        }
        for result in found.values():
            on_result(result)
        left = [trial for trial in trials if trial.number not in found]
        with closing(sweep(left, crew, room)) as solved:
            for result in solved:
                if journal is not None:
                    journal.add(result)
                found[result.trial.number] = result
                on_result(result)
        batch = [found[trial.number] for trial in trials]
        results += batch
        try:
            trials = proposals.send(batch)
        except StopIteration:
            trials = None
    return results
