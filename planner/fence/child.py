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

from planner.fence.talk import SEARCH, WIDE, Asks, Says, Talk, unpack_question
from planner.fence.wire import LONGEST_TEXT, Frames, Kind, frame
from rebalancer.question import Found, OnBetter, Question
from rebalancer.wide.answer import OnPart, WideAnswer, answer
from rebalancer.wide.question import WideQuestion

Search = Callable[[Question, OnBetter], Found]
Widen = Callable[[WideQuestion, OnPart], WideAnswer]

_LONGEST_QUESTION = 2**40
"""Bytes; what the planner sends is taken."""

_PART_BYTES = 2**20


def serve(descriptor: int, search: Search, widen: Widen = answer) -> None:
    """Answer questions on a socket, one after the other, for ever."""
    line = socket.socket(fileno=descriptor)
    questions: SimpleQueue[bytes] = SimpleQueue()
    # The search may be deep inside the solver, which lets other threads of Python run.
    threading.Thread(target=_receive, args=(line, questions), daemon=True).start()
    while True:
        question, ends_at = unpack_question(questions.get())
        seconds = None if ends_at is None else ends_at - time.monotonic()
        limits = replace(question.limits, seconds=seconds, clock=time.monotonic)
        match question:
            case Question():
                _answer(line, SEARCH, replace(question, limits=limits), search)
            case WideQuestion():
                _answer(line, WIDE, replace(question, limits=limits), widen)


def _answer(
    line: socket.socket,
    talk: Talk[Asks, Says],
    question: Asks,
    search: Callable[[Asks, Callable[[Says], None]], Says],
) -> None:
    def send(said: Says) -> None:
        line.sendall(frame(Kind.BETTER, talk.pack(said)))

    try:
        # Says that the search begins, too: a process that is late to start is no fault of it.
        send(talk.silence(question))
        last = frame(Kind.LAST, talk.pack(search(question, send)))
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
