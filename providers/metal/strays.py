"""Processes of hooks that outlived the provider that began them: found by their environment."""

import os
import signal
import time
from pathlib import Path

_PROCESSES = Path("/proc")

_PATIENCE_SECONDS = 5.0


def end_strays(mark: str) -> int:
    """Kill every process that has ``BIGFLEET_STORE=mark`` in its environment; give how many.

    Returns when they are gone. Where there is no ``/proc``, or a hook runs as another user, it
    finds none: such hooks must bear that the same call runs twice at a time.
    """
    found = set[int]()
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while (alive := _marked(f"BIGFLEET_STORE={mark}".encode())) and time.monotonic() < deadline:
        for process in alive:
            # One that has just ended, or is not ours, is nothing to end.
            try:
                os.kill(process, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        found |= alive
        time.sleep(0.01)
    return len(found)


def _marked(variable: bytes) -> set[int]:
    marked = set()
    for name in os.listdir(_PROCESSES) if _PROCESSES.is_dir() else ():
        if name.isdecimal() and int(name) != os.getpid():
            try:
                environment = (_PROCESSES / name / "environ").read_bytes()
            except OSError:
                continue
            # A zombie has no environment any more.
            if variable in environment.split(b"\0"):
                marked.add(int(name))
    return marked
