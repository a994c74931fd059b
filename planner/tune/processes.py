"""Workers as processes of this machine."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager

from planner.tune.ground import Ground, packed
from planner.tune.solve import result_from
from planner.tune.sweep import Crew, Submit
from planner.tune.trial import Result, Trial


def in_processes(grounds: Sequence[Ground], count: int) -> Crew:
    """Give a crew of ``count`` processes; each gets the grounds once.

    They are new ones and no forks, since the solver's threads do not outlive a fork. No Ctrl-C of
    the terminal reaches them; they end with the block, and with this process however it ends.
    """
    content = packed(grounds)

    @contextmanager
    def crew() -> Iterator[Submit]:
        before = set(multiprocessing.active_children())
        executor = ProcessPoolExecutor(
            count, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(content,)
        )

        def submit(trial: Trial) -> "Future[Result]":
            # Processes are started here, and inherit the mask from their very beginning.
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                return executor.submit(_solve, trial)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)

        try:
            yield submit
        except BaseException:
            # Whoever leaves early does not wait for what is under way.
            for process in set(multiprocessing.active_children()) - before:
                process.kill()
            # It then ends at once, and leaves no semaphore to be complained of.
            executor.shutdown(cancel_futures=True)
            raise
        executor.shutdown()

    return crew


_content = b""
"""In a worker, the grounds as bytes: sent once with the start and not with every trial."""


def _begin(content: bytes) -> None:
    global _content
    _content = content
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _solve(trial: Trial) -> Result:
    return result_from(_content, trial)
