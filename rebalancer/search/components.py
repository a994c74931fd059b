"""Parts of a question that have nothing to do with one another.

Two lanes are linked where one limit, or one feature of an objective, reads both. Over the classes
C of lanes that links join, all limits separate, and each step is a sum

    f_k(x) = constant_k + sum over C of f_Ck(x_C)

So the least tuple (f_1, f_2, ...) in lexicographic order is reached by the least tuple of each C:
the sum of the least f_C1 is the least f_1, and x reaches it only where every x_C is at its own
least; given that, the same holds for f_2 over what is left, and so on. If each C is proven up to
step k, each bound on step k + 1 holds among all x with these values, and so does the sum of them.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from models.fleet import Ints
from rebalancer.draft import Cap, Choice, Limit, Relocation, Shape, Skew
from rebalancer.index import Index
from rebalancer.terms import Bins, Expression, Feature, Flag, Peak


def touched(piece: Limit | Feature) -> Ints:
    """Give the lanes that a limit or a feature reads; some may come twice."""
    match piece:
        case Cap() | Flag() | Bins():
            return piece.lanes
        case Choice():
            parts = piece.options
        case Skew():
            parts = (piece.lanes, *piece.openers)
        case Relocation():
            parts = (piece.moving, *piece.takers)
        case Peak():
            parts = tuple(line.lanes for line in piece.lines)
    return np.concatenate([*parts, np.empty(0, dtype=np.int64)])


def components(shape: Shape, expressions: Iterable[Expression]) -> list[Ints]:
    """Give the lanes of each component, ascending, the components in order of their first lane."""
    links = [touched(limit) for limit in shape.limits if says_something(limit, shape.most)]
    for expression in expressions:
        links += [touched(feature) for factor, feature in expression.features if factor]
    index = Index.of([link for link in links if len(link) > 1], len(shape))
    label = joined(index.starts, index.lanes, len(shape))
    order = np.argsort(label, kind="stable")
    _, starts = np.unique(label[order], return_index=True)
    return np.split(order, starts[1:]) if len(order) else []


def batches(parts: Sequence[Ints], lanes: int) -> list[Ints]:
    """Put components together up to so many lanes; the smallest parts first, ties by first lane."""
    batches: list[list[Ints]] = []
    size = lanes
    for part in sorted(parts, key=lambda part: (len(part), int(part[0]))):
        if size + len(part) > lanes:
            batches.append([])
            size = 0
        batches[-1].append(part)
        size += len(part)
    return [np.sort(np.concatenate(batch)) for batch in batches]


def says_something(limit: Limit, most: Ints) -> bool:
    """Tell whether the largest counts, ``(X,)``, of single lanes could break the limit."""
    return not isinstance(limit, Cap) or int(most[limit.lanes].sum()) > limit.most


def joined(starts: Ints, members: Ints, size: int) -> Ints:
    """Label each of ``size`` things, ``(size,)``, with the lowest one that links lead to.

    Link i joins ``members[starts[i]:starts[i + 1]]``, of which there is at least one. Every round
    hooks the root of each member to the lowest label of its link, then halves all paths [Shiloach
    and Vishkin 1982, J. Algorithms 3]: a few rounds, each over all members.
    """
    label = np.arange(size, dtype=np.int64)
    if not len(members):
        return label
    lengths = np.diff(starts)
    while True:
        of_member = label[members]
        lowest = np.repeat(np.minimum.reduceat(of_member, starts[:-1]), lengths)
        lower = label.copy()
        np.minimum.at(lower, of_member, lowest)
        np.minimum.at(lower, members, lowest)
        lower = lower[lower]
        if (lower == label).all():
            return label
        label = lower
