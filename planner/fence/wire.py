"""Frames on the line between the planner and the solver's process: one question, many claims back.

A frame is a head (kind, length, checksum) and a body. A process that is killed leaves at most its
last frame cut short, and what is cut short is not read; so the last whole claim survives whatever
becomes of the process. What is in a frame: ``claims`` and ``wide_claims``.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from zlib import crc32

_HEAD = struct.Struct("<IQI")

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
