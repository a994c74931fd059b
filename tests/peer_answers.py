"""Answers of the peers' problems, as their judge and their program value them."""

from benchmarks.peers.judge import Broken, worth


def judged(problem, answer):
    """Give what the judge says an answer is worth, None for one that it refuses."""
    try:
        return tuple(worth(problem, answer).values())
    except Broken:
        return None


def is_kept(program, values):
    """Tell whether values of the columns keep every row of a program."""
    return all(_sum(columns, weights, values) <= most for columns, weights, _, most in program.rows)


def goals(program, values):
    """Give what the goals of a program come to."""
    return tuple(
        _sum(columns, weights, values) + constant for columns, weights, constant in program.goals
    )


def _sum(columns, weights, values):
    return sum(w * values[c] for c, w in zip(columns, weights, strict=True))
