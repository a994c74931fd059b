"""The solver's process: how it is started, and how it is ended with all that belongs to it."""

import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO

PROGRAM = """
import sys
sys.path[:] = {path!r}
from planner.fence.child import serve
from rebalancer.search import search
from rebalancer.solver import load
load()
serve({descriptor}, search)
"""
"""What it runs. Not by multiprocessing, which would run the caller's own script once more."""

REAP_SECONDS = 0.1
"""To wait for the end of a process; one that held much memory is waited for in the background."""

_LONGEST_WORDS = 500
"""Characters of its last words that are told."""

CLOSED = "the solver's process closed its line"
"""All that can be said where nobody knows how it ended."""


@dataclass(frozen=True, eq=False, slots=True)
class Child:
    """A process, the line to it, and what it writes on stderr.

    A copy of the ``owner``, the process that started it, may ask and kill it, too; but to wait for
    it, and so to know how it ended, is the owner's alone.
    """

    process: "subprocess.Popen[bytes]"
    line: socket.socket
    words: IO[bytes]
    owner: int = field(default_factory=os.getpid)

    @staticmethod
    def start() -> "Child":
        """Start a process in a session of its own: no Ctrl-C of a terminal reaches it.

        Raises
        ------
        OSError
            When the system has no room for it.
        """
        ours, theirs = socket.socketpair()
        # A file without a name: nothing can be left behind.
        words = TemporaryFile()  # noqa: SIM115
        program = PROGRAM.format(path=sys.path, descriptor=theirs.fileno())
        try:
            process = subprocess.Popen(
                [sys.executable, "-c", program],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=words,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except BaseException:
            ours.close()
            words.close()
            raise
        finally:
            theirs.close()
        return Child(process, ours, words)

    @property
    def is_lent(self) -> bool:
        """Tell whether this process is a copy of the owner."""
        return os.getpid() != self.owner

    @property
    def is_alive(self) -> bool:
        """Tell whether it still runs; of one that is lent the owner has found out."""
        return self.is_lent or self.process.poll() is None

    def obituary(self) -> str:
        """Say how a process ended that has closed its line."""
        if self.is_lent:
            return CLOSED
        try:
            status = self.process.wait(REAP_SECONDS)
        except subprocess.TimeoutExpired:
            return CLOSED
        how = f"died by {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"
        self.words.seek(0)
        words = " ".join(self.words.read().decode(errors="replace").split())
        return f"the solver's process {how}" + (f": {words[-_LONGEST_WORDS:]}" if words else "")

    def kill(self) -> None:
        """End the process and all that it started; what it has sent can still be read."""
        # Even if it is dead: what it started may live, and be what keeps the line open.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process, and hear no more of it."""
        self.kill()
        # Wakes a thread that still listens, in case somebody else holds the other end.
        with suppress(OSError):
            self.line.shutdown(socket.SHUT_RDWR)
        self.line.close()
        self.words.close()
        if self.is_lent:
            return
        try:
            self.process.wait(REAP_SECONDS)
        except subprocess.TimeoutExpired:
            threading.Thread(target=self.process.wait, daemon=True).start()
