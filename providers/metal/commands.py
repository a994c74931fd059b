"""Run one command without a shell: the end of what it says, and no process of it afterwards."""

import asyncio
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Sequence
from contextlib import suppress

from providers.metal.hooks import Call
from providers.metal.outcome import MOST_OUTPUT_BYTES, Outcome, last_line

TERM_SECONDS = 2.0
"""From SIGTERM to SIGKILL, for whoever cleans up."""

_CHUNK_BYTES = 65536

_LINGER_SECONDS = 0.5
"""How long output is read on after the end: a child that has left the group may hold the pipe."""


async def run(
    command: Sequence[str], call: Call, seconds: float, folder: str, mark: str
) -> Outcome:
    """Run a command in ``folder`` until it ends, at most so many ``seconds``.

    It leads a process group of its own, and no process of that group outlives the call, however it
    ends, by cancellation too. ``mark`` is in the environment as ``BIGFLEET_STORE``: ``strays`` find
    by it what outlived us.
    """
    words = call.words()
    arguments = [argument.format_map(words) for argument in command]
    variables = {f"BIGFLEET_{word.upper()}": text for word, text in words.items()}
    try:
        process = await asyncio.create_subprocess_exec(
            *arguments,
            stdin=PIPE if call.user_data else DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
            cwd=folder,
            env={**os.environ, **variables, "BIGFLEET_STORE": mark},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        return Outcome(f"{command[0]!r} could not be started ({why}).")
    tail = bytearray()
    reading = asyncio.ensure_future(_read(process, tail))
    writing = asyncio.ensure_future(_write(process, call.user_data))
    try:
        async with asyncio.timeout(seconds):
            failure = _shown(await process.wait())
    except TimeoutError:
        failure = f"{call.kind} took longer than {seconds:g} s and was ended."
    finally:
        await _ended(process)
        await asyncio.wait([reading, writing], timeout=_LINGER_SECONDS)
        reading.cancel()
        writing.cancel()
        # The transport holds the pipes; nothing public closes it.
        process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001
    return Outcome(failure, last_line(tail))


def _shown(status: int) -> str:
    if status < 0:
        with suppress(ValueError):
            return f"It was ended by {signal.Signals(-status).name}."
    return f"It ended with status {status}." if status else ""


async def _read(process: Process, tail: bytearray) -> None:
    """Keep the end of the output; all of it is read, or a full pipe would stop the command."""
    assert process.stdout is not None
    while chunk := await process.stdout.read(_CHUNK_BYTES):
        tail += chunk
        del tail[:-MOST_OUTPUT_BYTES]


async def _write(process: Process, user_data: bytes) -> None:
    """Give the blob; a command that does not read it has no use for it."""
    if process.stdin is None:
        return
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(user_data)
        await process.stdin.drain()
    process.stdin.close()


async def _ended(process: Process) -> None:
    """End all processes of the group: gently, and what is left after a while at once."""
    group = process.pid
    if _signalled(group, signal.SIGTERM):
        deadline = asyncio.get_running_loop().time() + TERM_SECONDS
        while _signalled(group, 0) and asyncio.get_running_loop().time() < deadline:
            # Shielded by the caller's finally; a second cancellation only shortens the patience.
            try:
                await asyncio.sleep(0.02)
            except asyncio.CancelledError:
                break
        _signalled(group, signal.SIGKILL)
    await process.wait()


def _signalled(group: int, number: int) -> bool:
    """Send a signal to a process group; tell whether there was one."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
