"""Words for what becomes of a machine at a need's turn; the values are what a person reads.

Beside the hard rules (``models.rules.Rule``), which refuse: how a machine comes to a need, and what
one that nothing refused lost by.
"""

from enum import StrEnum

from models.rules import Rule


class Way(StrEnum):
    """How a need has a machine, or comes by it; all but the first are choices of the cycle."""

    HELD = "the need had it already"
    READY = "idle and reserved for it: configured"
    STEPS_IN = "held by its cluster beyond every count: serves it as it is"
    IDLE = "idle: configured"
    SPECULATIVE = "speculative: created"
    DRAINING = "drains already: its reservation is taken over"
    EXCESS = "serves nobody: drained for it"
    VICTIM = "serves a lower need: drained for it"


class Lost(StrEnum):
    """What an allowed machine lost by, against the last of those that were chosen."""

    SILENT = "its cluster is silent: the need attracts nothing"
    FULL = "not needed: the need had all that it asks for"
    GANG = "no domain holds what the gang is missing, and part of it is of no use"
    OTHER_DOMAIN = "the gang went into another domain: by Creates, left over, cost, name"

    # Phase 1, in the order of its keys.
    OWN_FIRST = "what its own cluster held beyond every count was enough"
    GIVEN_BACK = "would be given back sooner than those that stepped in"
    IDLE_FIRST = "speculative: idle ones come first"
    RESERVED = "reserved for a lower need: unreserved ones come first"
    SCARCE = "has a scarce resource that the need does not ask for"
    TOO_LATE = "longer until ready than a need of tier 1 waits"
    LATE = "longer until ready than the longest wait: sooner ones come first"
    UNPRICED = "of unknown price: known ones come first"
    DECADE = "in a higher decade of reclamation penalty"
    COST = "dearer than all that were chosen"
    RISK = "alike in cost, but interrupted more often"
    PRICE = "alike in cost beyond all measure, and of a higher price"
    ZONE = "alike in cost: its zone comes later"
    CLASS = "alike in cost: its class comes later"
    ID = "alike in all but its id, which comes later"
    EMPTIER = "its domain was fuller: the emptiest comes first"
    DIVERSITY = "alike in price: the spot place where the cluster has the fewest comes first"

    # Phase 2, in the order of its keys.
    FREE_FIRST = "not needed: what was free was enough"
    CREATES_FIRST = "nothing is drained before the Creates of this cycle had their outcome"
    DRAINING_FIRST = "what drains already comes first"
    EXCESS_FIRST = "in use: what serves nobody comes first"
    PRIORITY = "serves a need of higher priority than those that were taken"
    SCORE = "scores lower as a victim"
    TOLL = "scores alike: by a broken gang, then the cluster that gives most, then the id"


Verdict = Way | Rule | Lost

VERDICTS: tuple[Verdict, ...] = (*Way, *Rule, *Lost)
"""All of them; engines write the place of one here."""
