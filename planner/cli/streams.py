"""Stdout and stderr as the command line needs them, whatever the shell has made of them."""

import os
import sys
from io import RawIOBase, TextIOWrapper


def prepare_streams() -> None:
    """Make both streams take any text: a closed one swallows it, a narrow encoding escapes it.

    An escape as in ``\\u732b`` is what JSON and YAML would have written themselves.
    """
    sys.stdout = _prepared(sys.stdout)
    sys.stderr = _prepared(sys.stderr)


def discard_stdout() -> None:
    """Let what is left in the buffer go nowhere: written at the end it would fail once more."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def _prepared(stream: object) -> TextIOWrapper:
    # None is what Python gives for a stream that was closed before the start.
    if not isinstance(stream, TextIOWrapper):
        return open(os.devnull, "w", encoding="utf-8")
    if isinstance(stream.buffer, RawIOBase):
        # With PYTHONUNBUFFERED, as containers like to set it, nothing writes what a full disk or a
        # reader that leaves did not take at once: the rest would be lost without an error.
        return open(
            stream.fileno(),
            "w",
            encoding=stream.encoding,
            errors="backslashreplace",
            closefd=False,
        )
    stream.reconfigure(errors="backslashreplace")
    return stream
