"""What a need asks, named one by one, and the rules that keep machines from it: the vocabulary.

Each *term* is one thing that may be in conflict. Those that the need itself asks can be dropped;
the others are facts of the fleet.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from models.bootstrap import is_bootstrap_key
from models.need import Need, Spread
from models.quantity import format_quantity
from models.rules import Rule

OF_FLEET = (Rule.UNTOUCHED, Rule.PRIORITY, Rule.AVAILABLE, Rule.PRICE_KNOWN, Rule.KEEPS_OWN)
"""Rules about what a machine does, in the order in which a deletion filter tries to do without."""


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that may refuse a machine.

    Attributes
    ----------
    rule
        The rule it is a case of.
    text
        What the need asks, as ``example.com/rack In r7``; "" for a rule about the fleet.
    index
        The place in the need's requirements or spreads; 0 for others.
    resource
        The resource it asks for, or "".
    """

    rule: Rule
    text: str = ""
    index: int = 0
    resource: str = ""

    @property
    def is_asked(self) -> bool:
        """Tell whether the need asks it, so that it may be dropped."""
        return self.rule not in OF_FLEET


def terms_of(need: Need, bootstrap_keys: Sequence[str]) -> tuple[Term, ...]:
    """Give all terms of a need: what it asks, in its own order, then the rules about the fleet."""
    return (
        *(
            Term(Rule.MATCHES, str(requirement), index)
            for index, requirement in enumerate(need.requirements)
            if not is_bootstrap_key(requirement.key, bootstrap_keys)
        ),
        *(
            Term(Rule.FITS, f"{name} >= {format_quantity(amount, name)}", resource=name)
            for name, amount in need.resources.items()
            if amount > 0
        ),
        *((Term(Rule.DOMAIN, f"same {need.same}"),) if need.same is not None else ()),
        *(
            Term(Rule.SPREAD, spread_text(spread), index)
            for index, spread in enumerate(need.spread)
            if spread.is_hard
        ),
        *((Term(Rule.FLOOR, f"floor {need.floor}"),) if need.floor else ()),
        *map(Term, OF_FLEET),
    )


def spread_text(spread: Spread) -> str:
    """Give a spread as text."""
    return f"spread over {spread.key}, maxSkew {spread.max_skew}"
