"""The solver's own process: takes questions, sends every better plan at once, and the last one.

It ends with whoever started it, however that came about.
"""

import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from queue import SimpleQueue

from planner.fence.wire import LONGEST_TEXT, Frames, Kind, frame, pack_claim, unpack_question
from rebalancer.question import Found, OnBetter, Question

Search = Callable[[Question, OnBetter], Found]

_LONGEST_QUESTION = 2**40
"""Bytes; what the planner sends is taken."""

_PART_BYTES = 2**20


def serve(descriptor: int, search: Search) -> None:
    """Answer questions on a socket, one after the other, for ever."""
    line = socket.socket(fileno=descriptor)
    questions: SimpleQueue[bytes] = SimpleQueue()
    # The search may be deep inside the solver, which lets other threads of Python run.
    threading.Thread(target=_receive, args=(line, questions), daemon=True).start()
    while True:
        _answer(line, *unpack_question(questions.get()), search)


def _answer(line: socket.socket, question: Question, ends_at: float | None, search: Search) -> None:
    seconds = None if ends_at is None else ends_at - time.monotonic()
    limits = replace(question.limits, seconds=seconds, clock=time.monotonic)
    question = replace(question, limits=limits)

    def send(found: Found) -> None:
        line.sendall(frame(Kind.BETTER, pack_claim(found)))

    try:
        # Says that the search begins, too: a process that is late to start is no fault of it.
        send(question.unanswered())
        last = frame(Kind.LAST, pack_claim(search(question, send)))
    except Exception as error:
        text = f"{type(error).__name__}: {error}".encode(errors="replace")
        last = frame(Kind.FAILED, text[:LONGEST_TEXT])
    line.sendall(last)


def _receive(line: socket.socket, questions: "SimpleQueue[bytes]") -> None:
    frames = Frames(_LONGEST_QUESTION)
    try:
        while part := line.recv(_PART_BYTES):
            for _, body in frames.feed(part):
                questions.put(body)
    finally:
        # Nobody is left to answer to, so not even a solver that never ends may keep this alive.
        os._exit(0)
