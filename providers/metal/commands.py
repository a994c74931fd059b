"""Run one command without a shell: the end of what it says, and no process of it afterwards."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from providers.metal.hooks import Call
from providers.metal.outcome import MOST_OUTPUT_BYTES, Outcome, last_line

TERM_SECONDS = 2.0
"""From SIGTERM to SIGKILL, for whoever cleans up."""

_LINGER_SECONDS = 0.5
"""How long output is read on after the end: a child that has left the group may hold the pipe."""


@dataclass
class _Watched(asyncio.SubprocessProtocol):
    """What a process does. ``Process.wait`` of asyncio would wait until its pipes are closed too.

    ``tail`` is the end of the output; all of it is read, or a full pipe would stop the command.
    """

    tail: bytearray = field(default_factory=bytearray)
    exited: asyncio.Event = field(default_factory=asyncio.Event)
    silent: asyncio.Event = field(default_factory=asyncio.Event)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep the end of what it says."""
        self.tail += data
        del self.tail[:-MOST_OUTPUT_BYTES]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note that it says no more."""
        if fd == 1:
            self.silent.set()

    def process_exited(self) -> None:
        """Note that it has ended."""
        self.exited.set()


async def run(
    command: Sequence[str], call: Call, seconds: float, folder: str, mark: str
) -> Outcome:
    """Run a command in ``folder`` until it ends, at most so many ``seconds``.

    It leads a process group of its own, and no process of that group outlives the call, however it
    ends, by cancellation too. ``mark`` is in the environment as ``BIGFLEET_STORE``: ``strays`` find
    by it what outlived us.
    """
    try:
        transport, process = await _started(command, call, folder, mark)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        return Outcome(f"{command[0]!r} could not be started ({why}).")
    group = transport.get_pid()
    failure = f"{call.kind} took longer than {seconds:g} s and was ended."
    try:
        async with asyncio.timeout(seconds):
            await process.exited.wait()
            failure = _shown(transport.get_returncode() or 0)
    except TimeoutError:
        pass
    finally:
        await _ended(group, process)
        transport.close()
    return Outcome(failure, last_line(process.tail))


async def _started(
    command: Sequence[str], call: Call, folder: str, mark: str
) -> tuple[asyncio.SubprocessTransport, _Watched]:
    words = call.words()
    variables = {f"BIGFLEET_{word.upper()}": text for word, text in words.items()}
    transport, process = await asyncio.get_running_loop().subprocess_exec(
        _Watched,
        *(argument.format_map(words) for argument in command),
        stdin=PIPE if call.user_data else DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        cwd=folder,
        env={**os.environ, **variables, "BIGFLEET_STORE": mark},
        start_new_session=True,
    )
    wire = transport.get_pipe_transport(0)
    if isinstance(wire, asyncio.WriteTransport):
        # Closed once all is written; a command that does not read it has no use for it.
        wire.write(call.user_data)
        wire.close()
    return transport, process


def _shown(status: int) -> str:
    if status < 0:
        with suppress(ValueError):
            return f"It was ended by {signal.Signals(-status).name}."
    return f"It ended with status {status}." if status else ""


async def _ended(group: int, process: _Watched) -> None:
    """End all processes of the group: gently, and what is left after a while at once."""
    try:
        if _signalled(group, signal.SIGTERM):
            async with asyncio.timeout(TERM_SECONDS):
                # There is nothing that tells when a group is empty.
                while _signalled(group, 0):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
    except TimeoutError:
        pass
    finally:
        # A second cancellation only shortens the patience.
        _signalled(group, signal.SIGKILL)
    with suppress(TimeoutError):
        async with asyncio.timeout(_LINGER_SECONDS):
            await process.silent.wait()
            await process.exited.wait()


def _signalled(group: int, number: int) -> bool:
    """Send a signal to a process group; tell whether there was one."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
