"""Every hard rule and every goal by name, with its text for people.

One vocabulary for both engines and the judge: ``hotpath.plain.rules`` holds a mask for each hard
rule, ``rebalancer.rules`` its twin, ``models.audit`` judges by it.
"""

from enum import StrEnum


class Rule(StrEnum):
    """Why a machine may not go to a need. The value is what a person reads."""

    AVAILABLE = "not available: in transition, failed, in use, or about to be reclaimed"
    MATCHES = "a requirement on its labels is not met"
    FITS = "not enough of a resource"
    PRICE_KNOWN = "its price is unknown"
    BACKOFF = "its class, quota or subnet failed lately and is left alone for a while"
    DOMAIN = "outside the one domain that holds the whole gang"
    SPREAD = "one more there would exceed the allowed skew"
    FLOOR = "may be interrupted, and the need's floor asks for machines that are not"
    SPOT_SHARE = "its class and zone already hold their share of the need's spot machines"
    PRIORITY = "serves a need whose priority is not low enough to give way"
    KEEPS_OWN = "its own shard has a need of equal or higher priority that lacks and could use it"
    UNTOUCHED = "pinned, or its cluster is silent or in shadow mode"


class Goal(StrEnum):
    """What the rebalancer weighs once every priority level is served as well as it can be."""

    PREEMPTION_DAMAGE = "preemption_damage"
    RUNNING_COST = "running_cost"
    INTERRUPTION_RISK = "interruption_risk"
    MOVES = "moves"
    TIME_TO_READY = "time_to_ready"
    SHARD_BALANCE = "shard_balance"
    DOMAIN_FRAGMENTATION = "domain_fragmentation"
    GANG_SPREAD = "gang_spread"
    SPOT_DIVERSITY = "spot_diversity"
    DONOR_HEADROOM = "donor_headroom"
