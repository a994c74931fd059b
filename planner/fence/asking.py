"""Ask the solver's process, listen until it is done or time is up, and end it unless it is fit.

A process that answered in good order is kept for the next question: to start one and to load the
solver takes about a second.
"""

import atexit
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread
from typing import Generic

from planner.fence.process import CLOSED, REAP_SECONDS, Child
from planner.fence.talk import SEARCH, WIDE, Asks, Says, Talk, pack_question
from planner.fence.wire import Frames, Kind, Rubbish, frame
from rebalancer.limits import no_clock
from rebalancer.question import Found, OnBetter, Question
from rebalancer.wide.answer import WideAnswer
from rebalancer.wide.question import WideQuestion

START_SECONDS = 5.0
"""A process may need so long to begin; that it did not in less is no fault."""

LATE = "the solver gave no plan in time, and was ended"
"""The one complaint that a problem too large for its deadline can earn, too."""

_PART_BYTES = 2**20

_idle: dict[int, list[Child]] = {}
"""Processes fit for a question, by the process that started them: after a fork they are not ours.
"""

_lock = Lock()

# A copy of this process that began while another thread held it would wait for ever.
os.register_at_fork(
    before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
)


@contextmanager
def lending(starts: bool = True) -> "Iterator[Loan]":
    """Have a process ready for the questions of a copy of this process; ``starts`` one if need be.

    It loads the solver while the problem is drawn up. Where it cannot be started, the question will
    find that out once more.
    """
    child = _take_idle()
    if child is None and starts:
        with suppress(OSError):
            child = Child.start()
    loan = Loan(child)
    try:
        yield loan
    finally:
        if child is not None:
            if loan.is_fit:
                _keep(child)
            else:
                child.close()


@dataclass(slots=True)
class Loan:
    """A process that a copy of this one may ask; kept afterwards only if it is said to be fit."""

    child: Child | None = None
    is_fit: bool = False

    def take(self) -> None:
        """In the copy: have it asked from here."""
        if self.child is not None:
            _keep(self.child)

    def give_back(self) -> bool:
        """In the copy: end what was started here; tell whether the loan is fit for more."""
        with _lock:
            idle = _idle.pop(os.getpid(), [])
        for child in idle:
            if child is not self.child:
                child.close()
        return self.child in idle

    def obituary(self) -> str:
        """Say how it ended, seen from its owner."""
        return CLOSED if self.child is None else self.child.obituary()


@contextmanager
def asking(
    question: Question, seconds: float | None, on_better: OnBetter | None = None
) -> "Iterator[Inquiry[Question, Found]]":
    """Ask a process, which is told to be done within ``seconds``; it is ended with the block.

    ``on_better`` is told of claims on the way, none of which is checked, by a thread of its own.

    Raises
    ------
    OSError
        When no process can be started.
    """
    with _asking(SEARCH, question, seconds, on_better) as asked:
        yield asked


@contextmanager
def asking_wide(
    question: WideQuestion, seconds: float | None
) -> "Iterator[Inquiry[WideQuestion, WideAnswer]]":
    """Ask about all pairs at once; else as ``asking``."""
    with _asking(WIDE, question, seconds, None) as asked:
        yield asked


@contextmanager
def _asking(
    talk: Talk[Asks, Says],
    question: Asks,
    seconds: float | None,
    on_better: Callable[[Says], None] | None,
) -> "Iterator[Inquiry[Asks, Says]]":
    child = _take_idle() or Child.start()
    try:
        asked = Inquiry(child, talk, question, seconds, on_better)
        yield asked
    except BaseException:
        child.close()
        raise
    if asked.is_fit:
        _keep(child)
    else:
        child.close()


class Inquiry(Generic[Asks, Says]):
    """A question under way; a thread of its own listens."""

    def __init__(
        self,
        child: Child,
        talk: Talk[Asks, Says],
        question: Asks,
        seconds: float | None,
        on_better: Callable[[Says], None] | None = None,
    ) -> None:
        self.is_fit = False
        self._child, self._talk, self._question = child, talk, question
        self._on_better = on_better
        self._newest: bytes | None = None
        self._complaint = ""
        self._is_answered = False
        self._done = Event()
        self._since = time.monotonic()
        self._ends_at = None if seconds is None else self._since + seconds
        self._thread = Thread(target=self._exchange, daemon=True)
        self._thread.start()

    def claim(self, seconds: float | None) -> tuple[Says | None, str]:
        """Wait up to ``seconds``; give the best plan that came, and what went wrong, else ""."""
        in_time = self._done.wait(seconds if seconds is None else max(0.0, seconds))
        if not in_time:
            self._child.kill()
            # What it had sent is on its way to us all the same.
            self._thread.join(REAP_SECONDS)
        elif not self._is_answered and not self._complaint:
            self._complaint = self._child.obituary()
        newest = self._newest
        try:
            found = None if newest is None else self._talk.unpack(newest, self._question)
        except Rubbish:
            self.is_fit = False
            return None, "the solver's process sent rubbish"
        if not in_time and not (found and self._talk.is_answer(found)):
            late = time.monotonic() - self._since > START_SECONDS
            if found or late:
                return found, LATE
        return found, self._complaint

    def _exchange(self) -> None:
        """Send the question and hear answers until the last one, or the end of the line."""
        question = self._question
        # A clock cannot be sent; the process has its own.
        bare = replace(question, limits=replace(question.limits, clock=no_clock))
        frames = Frames(self._talk.longest(question))
        line = self._child.line
        try:
            line.sendall(frame(Kind.QUESTION, pack_question(bare, self._ends_at)))
            while not self._is_answered and (part := line.recv(_PART_BYTES)):
                for kind, body in frames.feed(part):
                    self._take(kind, body)
        except Rubbish:
            self._complaint = "the solver's process sent rubbish"
        except OSError:
            pass  # The line is broken: its process has died.
        finally:
            self.is_fit = self._is_answered and not self._complaint and not frames.rest
            self._done.set()

    def _take(self, kind: Kind, body: bytes) -> None:
        match kind:
            case Kind.BETTER | Kind.LAST:
                self._newest = body
                if self._on_better is not None:
                    # Whatever comes of it: who only watches must not spoil the plan.
                    with suppress(Exception):
                        self._on_better(self._talk.unpack(body, self._question))
            case Kind.FAILED:
                self._complaint = body.decode(errors="replace")
            case Kind.QUESTION:
                raise Rubbish
        self._is_answered = kind is not Kind.BETTER


def _take_idle() -> Child | None:
    with _lock:
        children = _idle.get(os.getpid(), [])
        child = children.pop() if children else None
    if child is not None and not child.is_alive:
        child.close()
        child = None
    return child


def _keep(child: Child) -> None:
    """Keep one for the next question; more than one at rest is a waste."""
    with _lock:
        children = _idle.setdefault(os.getpid(), [])
        is_kept = not children
        if is_kept:
            children.append(child)
    if not is_kept:
        child.close()


@atexit.register
def dismiss() -> None:
    """End the process that waits for a question, if there is one."""
    while child := _take_idle():
        child.close()
