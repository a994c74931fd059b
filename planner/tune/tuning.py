"""Carry out a sweep that was asked for, here or on a cluster, with or without a journal."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from models.errors import Fault, InputFault
from models.settings import settings_document, settings_from
from planner.files.settings_file import write_settings
from planner.tune.journal import Journal, journal_at
from planner.tune.judgement import judged
from planner.tune.processes import in_processes
from planner.tune.request import Request
from planner.tune.study import study
from planner.tune.sweep import Crew
from planner.tune.trial import Result
from planner.tune.tuned import Tuned
from rebalancer.settings import goals_from

ROOM = 2
"""Trials under way for each process: so that none waits for its next one."""

DASK_ROOM = 256
"""And on a cluster, whose workers may come and go."""


@dataclass(frozen=True, slots=True)
class Means:
    """What trials are solved with: so many processes of this machine, or on a Dask cluster.

    ``journal`` is the file that keeps the results, None for none.
    """

    processes: int = 1
    dask: str | None = None
    journal: str | None = None


def tune(request: Request, means: Means, on_result: Callable[[Result], None]) -> Tuned:
    """Solve all that is asked, and judge it; ``on_result`` hears of every result as it comes.

    Raises
    ------
    InputFault
        When the journal cannot be used, workers die again and again, or no trial is solved.
    Unreachable
        When there is no such cluster.
    """
    settings = request.settings.settings
    crew, room = _crew(request, means)
    with _journal(request, means.journal) as journal:
        results = study(request.proposals(), crew, room, journal, on_result)
    if all(result.failure for result in results):
        raise InputFault([Fault("tune", f"no trial was solved: {results[0].failure}")])
    weights = goals_from(settings)
    return Tuned(
        fleets=[(ground.name, ground.digest) for ground in request.grounds],
        ranges=request.ranges,
        weights=weights,
        judgement=judged(results, weights, is_grid=request.trials is None),
    )


def write_weights(path: str, request: Request, tuned: Tuned, pick: int | None = None) -> None:
    """Write the settings of the sweep with the weights of trial ``pick``, None: of the knee.

    The file says of each weight which trial of what it came from, and of the other settings where
    the sweep had them from.

    Raises
    ------
    InputFault
        When there is no such trial, the front has no knee, or the file cannot be written.
    """
    judgement = tuned.judgement
    row = judgement.knee if pick is None else judgement.row_of(pick)
    if row is None and pick is None:
        message = "the front has no knee; say which trial's weights to write with --pick."
        raise InputFault([Fault("--write", message)])
    if row is None:
        raise InputFault([Fault("--pick", f"no trial {pick} was solved.")])
    trial = judgement.results[row].trial
    document = settings_document(request.settings.settings)
    document["goals"] |= {str(goal): weight for goal, weight in trial.weights.items()}
    names = ", ".join(name for name, _ in tuned.fleets)
    said = f"bigfleet tune {names}: trial {trial.number}" + (", the knee" if pick is None else "")
    sources = request.settings.firsts() | {f"goals.{goal}": said for goal in trial.weights}
    write_settings(path, settings_from(document), sources)


def _journal(request: Request, path: str | None) -> AbstractContextManager[Journal | None]:
    if path is None:
        return nullcontext()
    return journal_at(path, request.head(), request.expected().fits)


def _crew(request: Request, means: Means) -> tuple[Crew, int]:
    if means.dask is None:
        return in_processes(request.grounds, means.processes), ROOM * means.processes
    from planner.tune.on_dask import on_dask

    return on_dask(request.grounds, means.dask), DASK_ROOM
