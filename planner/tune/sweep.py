"""Solve many trials through any executor, and outlive workers that die."""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from models.errors import Fault, InputFault
from planner.tune.ground import Ground, packed
from planner.tune.solve import result_from
from planner.tune.trial import Result, Trial

Submit = Callable[[Trial], "Future[Result]"]
Crew = Callable[[], AbstractContextManager[Submit]]
"""Workers: started when the block begins, gone when it ends, however it ends."""

MOST_DEATHS = 3
"""Trials that may end their worker one after the other before the sweep is given up."""


def through(executor: Executor, grounds: Sequence[Ground]) -> Crew:
    """Give a crew of an executor that somebody else keeps; the grounds go along with each trial."""
    content = packed(grounds)

    @contextmanager
    def crew() -> Iterator[Submit]:
        yield lambda trial: executor.submit(result_from, content, trial)

    return crew


def sweep(trials: Sequence[Trial], crew: Crew, room: int) -> Generator[Result, None, None]:
    """Give the result of every trial as it comes; at most ``room`` are under way at a time.

    A trial that fails says why. When a worker dies and takes the executor along, the trials under
    way are solved once more, one at a time in a new crew, so that the one to blame is known.

    Raises
    ------
    InputFault
        When ``MOST_DEATHS`` trials one after the other have ended their worker.
    """
    waiting, suspects, deaths = deque(trials), deque[Trial](), 0
    while waiting or suspects:
        queue, width = (suspects, 1) if suspects else (waiting, room)
        with crew() as submit:
            end = yield from _through(queue, submit, width)
        deaths = 0 if end.is_any_done else deaths
        if end.is_broken and len(end.under_way) < 2:
            deaths += 1
            for trial in end.under_way:
                yield Result(trial, (), "its worker died: killed, or out of memory")
        else:
            suspects.extend(end.under_way)
        if deaths == MOST_DEATHS:
            message = f"{deaths} workers died one after the other; is there enough memory?"
            raise InputFault([Fault("tune", message)])


@dataclass(frozen=True, slots=True)
class _End:
    """How a crew ended: with the queue empty, or broken with these trials under way."""

    is_any_done: bool
    is_broken: bool
    under_way: list[Trial]


def _through(queue: deque[Trial], submit: Submit, width: int) -> Generator[Result, None, _End]:
    """Empty the queue, as far as the executor lives; what has not begun stays in it."""
    under_way: dict[Future[Result], Trial] = {}
    is_any_done = is_broken = False
    while under_way or (queue and not is_broken):
        while queue and len(under_way) < width and not is_broken:
            try:
                under_way[submit(queue[0])] = queue[0]
                queue.popleft()
            except BrokenExecutor:
                is_broken = True
        done, _ = wait(under_way, return_when=FIRST_COMPLETED)
        for future in sorted(done, key=lambda future: under_way[future].number):
            if isinstance(future.exception(), BrokenExecutor):
                return _End(is_any_done, True, [*under_way.values()])
            is_any_done = True
            yield _result(under_way.pop(future), future)
    return _End(is_any_done, is_broken, [])


def _result(trial: Trial, future: "Future[Result]") -> Result:
    error = future.exception()
    if error is None:
        return future.result()
    return Result(trial, (), f"{type(error).__name__}: {error}"[:500])
