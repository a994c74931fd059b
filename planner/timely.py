"""The best plan that is there by a deadline, whatever becomes of the work on it."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from models.audit import require
from models.audit.violation import Violation
from models.plan import Plan
from planner.fence.asking import Loan, lending
from planner.fence.copied import Ended, Said, Say, copied
from planner.fence.process import CLOSED
from planner.progress import OnProgress, Progress

Clock = Callable[[], float]
Judge = Callable[[Plan], Sequence[Violation]]

GRACE_SECONDS = 0.25
"""A plan may come so much later than the deadline. As much again is left to hear it, and to end
the copy that works on it: together no more than the half second by which a plan may be late."""

LOADING_SECONDS = 1.0
"""It takes a process longer than this to load the solver: what runs in less is not to wait for it,
or to share the processor with it."""

TOO_SHORT = "the time was too short to draw up this fleet: the plan moves nothing"
"""A complaint that is no fault."""


@dataclass(frozen=True, eq=False, slots=True)
class Solved:
    """A plan that the judge has passed; ``complaint`` says what went wrong, else ""."""

    plan: Plan
    complaint: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Timing:
    """When a plan must be there, by which clock.

    ``loads`` says whether a process is to load the solver meanwhile: not where nothing would be
    asked, and never where the time is too short for it.
    """

    ends: float
    clock: Clock
    loads: bool = False


def timely(
    work: Callable[[Say], None],
    spare: Callable[[], Plan],
    judge: Judge,
    timing: Timing,
    on_progress: OnProgress | None = None,
) -> Solved:
    """Give the last plan that ``work`` says in time; where it says none, the ``spare`` one.

    The work is done by a copy of this process. It says each ``Plan`` that it has had judged itself,
    none worse than the one before, now and then its ``Progress``, and in words what goes wrong. The
    spare plan is made and judged here, meanwhile.

    Raises
    ------
    RuleBroken
        When the spare plan breaks a rule.
    """
    best, complaint = None, ""
    latest = timing.ends + GRACE_SECONDS
    loads = timing.loads and timing.ends - timing.clock() > LOADING_SECONDS
    with lending(loads) as loan, copied(lambda say: _lent(work, loan, say)) as copy:
        nothing = spare()
        require(judge(nothing))
        while isinstance(heard := copy.hear(latest - timing.clock()), Said):
            match heard.value:
                case Plan():
                    best = heard.value
                case str():
                    # What went wrong first explains the rest.
                    complaint = complaint or heard.value
                case Progress() if on_progress is not None:
                    # Whatever comes of it: who only watches must not spoil the plan.
                    with suppress(Exception):
                        on_progress(heard.value)
        if isinstance(heard, Ended):
            loan.is_fit = heard.value is True
            complaint = complaint or heard.complaint
        elif best is None:
            complaint = complaint or TOO_SHORT
        if complaint == CLOSED:
            complaint = loan.obituary()
    return Solved(nothing if best is None else best, complaint)


def _lent(work: Callable[[Say], None], loan: Loan, say: Say) -> bool:
    """Work with a process that is lent; tell whether it can be used again."""
    loan.take()
    try:
        work(say)
    finally:
        is_fit = loan.give_back()
    return is_fit
