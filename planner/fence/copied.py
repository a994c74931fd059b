"""A copy of this process that works aside, says what it finds, and can be ended at any moment.

A copy by fork: whatever it is to work on is there at once, however large. Beside 1.1 million
machines the fork takes 0.04 s; to pickle them for a process of another kind took 2.3 s. It says
only what our own code made of our own data, so what it says is unpickled. No search runs in it:
that has a process of its own (``process``).
"""

import gc
import os
import pickle
import select
import signal
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic, sleep

from planner.fence.process import REAP_SECONDS
from planner.fence.wire import LONGEST_TEXT, Frames, Kind, Rubbish, frame

Say = Callable[[object], None]
"""Sends something; any thread may call it."""

_LONGEST = 2**40
"""Bytes; what our own code says is taken."""

_PART_BYTES = 2**20

_REAP_STEP_SECONDS = 0.001


@dataclass(frozen=True, slots=True)
class Said:
    """What the copy says on its way."""

    value: object


@dataclass(frozen=True, slots=True)
class Ended:
    """It is done: what its work returned, or what went wrong, else ""."""

    value: object = None
    complaint: str = ""


@dataclass(eq=False, slots=True)
class Copy:
    """The copy, seen by the one that it is a copy of."""

    pid: int
    line: socket.socket
    frames: Frames = field(default_factory=lambda: Frames(_LONGEST))
    heard: list[tuple[Kind, bytes]] = field(default_factory=list)

    def hear(self, seconds: float) -> Said | Ended | None:
        """Wait up to ``seconds`` for the next that it says; None where it said nothing."""
        until = monotonic() + max(0.0, seconds)
        while not self.heard:
            ready, _, _ = select.select([self.line], [], [], max(0.0, until - monotonic()))
            if not ready:
                return None
            part = self.line.recv(_PART_BYTES)
            if not part:
                return Ended(complaint="the copy that draws up the plan has died")
            try:
                self.heard.extend(self.frames.feed(part))
            except Rubbish:
                return Ended(complaint="the copy that draws up the plan sent rubbish")
        kind, body = self.heard.pop(0)
        match kind:
            case Kind.BETTER:
                return Said(pickle.loads(body))
            case Kind.LAST:
                return Ended(pickle.loads(body))
            case _:
                return Ended(complaint=body.decode(errors="replace"))

    def end(self) -> None:
        """End it, whatever it is doing, and hear no more of it."""
        for kill in (os.killpg, os.kill):
            # It may not have got as far as a group of its own.
            with suppress(ProcessLookupError, PermissionError):
                kill(self.pid, signal.SIGKILL)
        self.line.close()
        until = monotonic() + REAP_SECONDS
        # Somebody else may have waited for it.
        with suppress(ChildProcessError):
            while not os.waitpid(self.pid, os.WNOHANG)[0]:
                if monotonic() > until:
                    threading.Thread(target=_reap, args=(self.pid,), daemon=True).start()
                    return
                sleep(_REAP_STEP_SECONDS)


@contextmanager
def copied(work: Callable[[Say], object]) -> Iterator[Copy]:
    """Have a copy do this work, until the block ends."""
    ours, theirs = socket.socketpair()
    with warnings.catch_warnings():
        # Python 3.12 warns of locks that other threads hold for ever in the copy. It takes none
        # that they could, and if it hangs all the same it is ended when its time is up.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if not pid:
        ours.close()
        _be_the_copy(theirs, work)
    theirs.close()
    copy = Copy(pid, ours)
    try:
        yield copy
    finally:
        copy.end()


def _reap(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _be_the_copy(line: socket.socket, work: Callable[[Say], object]) -> None:
    """Do the work and end, without a word to whatever the original had open."""
    try:
        # No Ctrl-C of a terminal reaches it.
        os.setsid()
        # What the original holds is not looked through for garbage: it would all be copied.
        gc.freeze()
        threading.Thread(target=_end_with_the_original, args=(line,), daemon=True).start()
        lock = threading.Lock()

        def say(value: object) -> None:
            whole = frame(Kind.BETTER, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
            with lock:
                line.sendall(whole)

        try:
            done = pickle.dumps(work(say), pickle.HIGHEST_PROTOCOL)
            last = frame(Kind.LAST, done)
        except Exception as error:
            text = f"{type(error).__name__}: {error}".encode(errors="replace")
            last = frame(Kind.FAILED, text[:LONGEST_TEXT])
        with lock:
            line.sendall(last)
    finally:
        os._exit(0)


def _end_with_the_original(line: socket.socket) -> None:
    """Nothing is ever sent here: what can be read is that the line is closed."""
    try:
        line.recv(1)
    finally:
        os._exit(0)
