"""How much it gives up to drop what a need asks: the one table, weakest first, with its reasons.

Only the order of sums matters. A wish for evenness costs the least, a place or a kind of machine
more, and what a program may not run without the most. One of a row weighs more than any two of a
row above would only by chance: the weights are small numbers, so that a user can add them up.
"""

from models import labels
from models.need import Need
from models.rules import Rule
from rebalancer.explain.terms import Term

SPREAD, FLOOR, INSTANCE_TYPE, PLACE, CAPACITY_TYPE, OTHER, RESOURCE, SAME, ARCHITECTURE = (
    1, 2, 2, 3, 3, 4, 6, 6, 12,
)  # fmt: skip
"""Evenness and protection from interruption are insurance: nothing stops working without them.
An instance type is mostly a habit, for the resources are asked beside it. A place is latency, data
or law. A label of one's own (4) may mean anything. Less of a resource may be too little to start
with, a gang torn apart slower by its network, and the wrong architecture runs nothing."""

_BY_KEY = {
    labels.INSTANCE_TYPE: INSTANCE_TYPE,
    labels.ZONE: PLACE,
    labels.REGION: PLACE,
    labels.HOSTNAME: PLACE,
    labels.CAPACITY_TYPE: CAPACITY_TYPE,
    labels.PROVIDER: PLACE,
    "kubernetes.io/arch": ARCHITECTURE,
    "kubernetes.io/os": ARCHITECTURE,
}

_BY_RULE = {Rule.SPREAD: SPREAD, Rule.FLOOR: FLOOR, Rule.FITS: RESOURCE, Rule.DOMAIN: SAME}


def weight_of(need: Need, term: Term, topology: tuple[str, ...]) -> int:
    """Give what dropping a term weighs; ``topology`` has the keys that are places."""
    if term.rule is not Rule.MATCHES:
        return _BY_RULE[term.rule]
    key = need.requirements[term.index].key
    return _BY_KEY.get(key, PLACE if key in topology else OTHER)
