"""What is claimed of a wide question, as bytes: columns of numbers, as in ``claims``."""

import numpy as np

from models.fleet import Ints
from planner.fence.wire import LONGEST_TEXT, Rubbish
from rebalancer.problems.packing.worth import holds
from rebalancer.problems.transfer.moves import Moves
from rebalancer.wide.answer import Seed, WideAnswer
from rebalancer.wide.question import WideQuestion

_MOST_SEEDS = 2


def pack_wide(said: WideAnswer) -> bytes:
    """Give an answer to be sent."""
    columns = [np.array([len(said.seeds)]), said.most]
    for seed in said.seeds:
        moves = seed.moves
        columns += [np.array([seed.gangs_first, len(moves)])]
        columns += [moves.offer, moves.wanted, moves.count, seed.homes]
    return np.concatenate(columns).astype(np.int64).tobytes()


def unpack_wide(body: bytes, question: WideQuestion) -> WideAnswer:
    """Read an answer; rows are rows of the question, counts and bounds may still be any.

    Raises
    ------
    Rubbish
        When it has another length than it says, or names rows that are not there.
    """
    if len(body) % 8:
        raise Rubbish
    rest = _Columns(np.frombuffer(body, dtype=np.int64))
    seeds = rest.number(_MOST_SEEDS)
    most = rest.column(len(question.everybody.priorities))
    found = tuple(_seed(rest, question) for _ in range(seeds))
    if len(rest.numbers):
        raise Rubbish
    return WideAnswer(found, most)


def longest_wide(question: WideQuestion) -> int:
    """Give the length in bytes that no body of an answer exceeds."""
    each = 2 + 3 * _most_moves(question) + len(question.gangs.gangs)
    levels = len(question.everybody.priorities)
    return max(LONGEST_TEXT, 8 * (1 + levels + _MOST_SEEDS * each))


def _most_moves(question: WideQuestion) -> int:
    """Give the pairs of offer and want that there are."""
    return len(question.plain.offers) * len(question.plain.wanted)


def _seed(rest: "_Columns", question: WideQuestion) -> Seed:
    gangs_first = rest.number(1)
    length = rest.number(_most_moves(question))
    offer = rest.rows(length, len(question.plain.offers))
    wanted = rest.rows(length, len(question.plain.wanted))
    count = rest.rows(length, 2**62)
    homes = rest.column(len(question.gangs.gangs))
    if not holds(question.gangs, homes):
        raise Rubbish
    return Seed(bool(gangs_first), Moves(offer, wanted, count), homes)


class _Columns:
    """Numbers that are taken from the front."""

    def __init__(self, numbers: Ints) -> None:
        self.numbers = numbers

    def column(self, length: int) -> Ints:
        """Take so many."""
        if length > len(self.numbers):
            raise Rubbish
        column, self.numbers = self.numbers[:length].copy(), self.numbers[length:]
        return column

    def rows(self, length: int, end: int) -> Ints:
        """Take so many, all from 0 to below ``end``."""
        column = self.column(length)
        if ((column < 0) | (column >= end)).any():
            raise Rubbish
        return column

    def number(self, most: int) -> int:
        """Take one, from 0 to ``most``."""
        return int(self.rows(1, most + 1)[0])
