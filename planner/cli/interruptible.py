"""Let Ctrl-C end a solve at once.

A solver that puts its own handler in the place of Python's would end its search early, and the
plan found so far would be shown as if nothing had happened. (CP-SAT does unless told not to.)
"""

import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")

_LOOK_SECONDS = 0.1


def interruptible(work: Callable[[], Result]) -> Result:
    """Give what ``work`` gives or raise what it raises; on Ctrl-C leave it alone and raise.

    The signal is blocked here and in every thread begun from now on, so that no handler sees it,
    and looked for instead. Threads that were there before, such as numpy's, still take it: then
    Python's own handler raises. A thread inside the solver cannot be stopped: whoever catches the
    KeyboardInterrupt should end the process, and without waiting for it.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        done: Future[Result] = Future()
        thread = threading.Thread(target=_fulfil, args=(done, work), daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(_LOOK_SECONDS)
            if signal.SIGINT in signal.sigpending():
                # Taken here: once unblocked it would interrupt whatever runs then.
                signal.sigwait({signal.SIGINT})
                raise KeyboardInterrupt
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return done.result()


def _fulfil(done: Future[Result], work: Callable[[], Result]) -> None:
    try:
        done.set_result(work())
    except BaseException as error:
        done.set_exception(error)
