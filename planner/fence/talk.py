"""The kinds of question that the solver's process takes, and how each is sent and answered."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from planner.fence.claims import longest_answer, pack_claim, unpack_claim
from planner.fence.wide_claims import longest_wide, pack_wide, unpack_wide
from rebalancer.question import Found, Question
from rebalancer.wide.answer import WideAnswer, unanswered
from rebalancer.wide.question import WideQuestion

Asks = TypeVar("Asks", bound=Question | WideQuestion)
Says = TypeVar("Says", bound=Found | WideAnswer)


@dataclass(frozen=True, slots=True)
class Talk(Generic[Asks, Says]):
    """One kind.

    Attributes
    ----------
    silence
        What is known without an answer.
    pack, unpack
        A claim as bytes and back; unpacking raises ``Rubbish``.
    longest
        Bytes that no claim exceeds.
    is_answer
        Tells whether a claim says more than silence.
    """

    silence: Callable[[Asks], Says]
    pack: Callable[[Says], bytes]
    unpack: Callable[[bytes, Asks], Says]
    longest: Callable[[Asks], int]
    is_answer: Callable[[Says], bool]


SEARCH: Talk[Question, Found] = Talk(
    Question.unanswered, pack_claim, unpack_claim, longest_answer, lambda found: found.answered
)

WIDE: Talk[WideQuestion, WideAnswer] = Talk(
    unanswered, pack_wide, unpack_wide, longest_wide, lambda said: bool(said.seeds)
)


def pack_question(question: Question | WideQuestion, ends_at: float | None) -> bytes:
    """Give a question to be sent; ``ends_at`` is the machine's monotonic time, None = never."""
    return pickle.dumps((question, ends_at), pickle.HIGHEST_PROTOCOL)


def unpack_question(body: bytes) -> tuple[Question | WideQuestion, float | None]:
    """Read a question; only for what the planner sent."""
    question, ends_at = pickle.loads(body)
    return question, ends_at
