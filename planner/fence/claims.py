"""What is claimed of a question, as bytes: columns of numbers.

Nothing that a mad process writes may be unpickled.
"""

import numpy as np

from planner.fence.wire import LONGEST_TEXT, Rubbish
from rebalancer.question import Found, Question

_FLAGS = 4
"""Numbers at the start of a claim: proven, answered, and which singles have a bound and which an
alternative, as bits."""


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
