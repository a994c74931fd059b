"""What passes between the planner and the solver's process: one question out, many claims back.

A frame is a head (kind, length, checksum) and a body. A process that is killed leaves at most its
last frame cut short, and what is cut short is not read; so the last whole claim survives whatever
becomes of the process. Claims are fixed columns of numbers, for nothing that a mad process writes
may be unpickled.
"""

import pickle
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from zlib import crc32

import numpy as np

from rebalancer.question import Found, Question

_HEAD = struct.Struct("<IQI")

_FLAGS = 4
"""Numbers at the start of a claim: proven, answered, and which singles have a bound and which an
alternative, as bits."""

LONGEST_TEXT = 10_000
"""Bytes of a complaint; what is longer is cut."""


class Kind(IntEnum):
    """What a frame holds."""

    QUESTION = 0xB161
    BETTER = 0xB162
    LAST = 0xB163
    FAILED = 0xB164


class Rubbish(Exception):
    """What arrived is none of the frames that were to be expected."""


def frame(kind: Kind, body: bytes) -> bytes:
    """Give a frame as it is sent."""
    return _HEAD.pack(kind, len(body), crc32(body)) + body


@dataclass(slots=True)
class Frames:
    """Bytes as they arrive, of which whole frames are taken; none has a body above ``longest``."""

    longest: int
    rest: bytearray = field(default_factory=bytearray)

    def feed(self, part: bytes) -> Iterator[tuple[Kind, bytes]]:
        """Add bytes; give the frames that are whole by now.

        Raises
        ------
        Rubbish
            When a head or a checksum is none.
        """
        self.rest += part
        while len(self.rest) >= _HEAD.size:
            kind, length, check = _HEAD.unpack_from(self.rest)
            if kind not in set(Kind) or length > self.longest:
                raise Rubbish
            end = _HEAD.size + length
            if len(self.rest) < end:
                return
            body = bytes(self.rest[_HEAD.size : end])
            if crc32(body) != check:
                raise Rubbish
            del self.rest[:end]
            yield Kind(kind), body


def pack_question(question: Question, ends_at: float | None) -> bytes:
    """Give a question to be sent; ``ends_at`` is the machine's monotonic time, None = never."""
    return pickle.dumps((question, ends_at), pickle.HIGHEST_PROTOCOL)


def unpack_question(body: bytes) -> tuple[Question, float | None]:
    """Read a question; only for what the planner sent."""
    question, ends_at = pickle.loads(body)
    return question, ends_at


def longest_answer(question: Question) -> int:
    """Give the length in bytes that no body of an answer exceeds."""
    most = _numbers(question) + len(question.singles) * len(question.shape)
    return max(LONGEST_TEXT, 8 * most)


def pack_claim(found: Found) -> bytes:
    """Give a claim to be sent."""
    known = sum(1 << i for i, bound in enumerate(found.single_bounds) if bound is not None)
    singles = [bound or 0 for bound in found.single_bounds]
    others = sorted(found.alternatives)
    shown = sum(1 << i for i in others)
    numbers = [found.proven, found.answered, known, shown, *found.bounds, *singles]
    columns = [np.array(numbers), found.counts, *(found.alternatives[i] for i in others)]
    return np.concatenate(columns).astype(np.int64).tobytes()


def unpack_claim(body: bytes, question: Question) -> Found:
    """Read a claim; its numbers may still be any.

    Raises
    ------
    Rubbish
        When it has another length than an answer to the question.
    """
    if len(body) < 8 * _numbers(question) or len(body) % 8:
        raise Rubbish
    numbers = np.frombuffer(body, dtype=np.int64)
    steps, singles, lanes = len(question.steps), len(question.singles), len(question.shape)
    (proven, answered, known, shown), bounds, single_bounds, counts, rest = np.split(
        numbers, np.cumsum([_FLAGS, steps, singles, lanes])
    )
    others = [i for i in range(singles) if int(shown) >> i & 1]
    if len(rest) != len(others) * lanes:
        raise Rubbish
    return Found(
        counts=counts,
        bounds=tuple(bounds.tolist()),
        proven=bool(proven),
        answered=bool(answered),
        single_bounds=tuple(
            bound if int(known) >> i & 1 else None for i, bound in enumerate(single_bounds.tolist())
        ),
        alternatives=dict(zip(others, rest.reshape(len(others), lanes), strict=True)),
    )


def _numbers(question: Question) -> int:
    """Give the numbers in a claim without alternatives."""
    return _FLAGS + len(question.steps) + len(question.singles) + len(question.shape)
