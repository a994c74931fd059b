"""The rules in conflict: a smallest set of terms that together refuse a need.

A deletion filter: begin with every term, leave one out after the other, and keep out each without
which the need would still be refused. What is left is refused together, and no part of it alone
(Chinneck and Dravnieks, 1991). Rules about the fleet are tried first and what the need asks last,
since those that are tried last stay: the need's own words explain more than "in use".
"""

from dataclasses import dataclass

from models.rules import Rule
from rebalancer.explain.counting import Counting
from rebalancer.explain.terms import OF_FLEET, Term

OF_SEVERAL = (Rule.DOMAIN, Rule.SPREAD, Rule.FLOOR)
"""Rules that look at several machines at once, and refuse none on its own."""


@dataclass(frozen=True, slots=True)
class InConflict:
    """One term of a conflict.

    Attributes
    ----------
    passes
        Machines that it lets pass.
    alone
        Machines that only it refuses, of all terms in conflict; of a rule that looks at several,
        how many of what it lacks the need could have more without it.
    """

    term: Term
    passes: int
    alone: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """Terms that together refuse the need, none of them to spare.

    ``within`` is how many machines the need could have under just these, less than it lacks. No
    terms: the need lacks more than there are machines.
    """

    terms: tuple[InConflict, ...]
    within: int
    machines: int


def conflict_of(counting: Counting) -> Conflict:
    """Give a conflict of a need that lacks machines; it is to be refused by all terms together."""
    kept = list(counting.scene.terms)
    for term in sorted(kept, key=_order):
        rest = [other for other in kept if other != term]
        if counting.gap(rest).missing:
            kept = rest
    told = []
    for term in kept:
        rest = [other for other in kept if other != term]
        if term.rule in OF_SEVERAL:
            more = counting.at_hand(rest) - counting.at_hand(kept)
            told.append(InConflict(term, counting.at_hand([term]), more))
        else:
            without = counting.number(rest)
            told.append(InConflict(term, counting.number([term]), without - counting.number(kept)))
    return Conflict(tuple(told), counting.at_hand(kept), counting.number([]))


def _order(term: Term) -> tuple[int, int]:
    """Rules about the fleet first, the least telling first; then what is asked, last first."""
    if term.rule in OF_FLEET:
        return (0, -OF_FLEET.index(term.rule) if term.rule is not Rule.PRIORITY else 1)
    return (1, -term.index)
