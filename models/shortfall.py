"""Shortfalls: what a cycle could not serve, and why."""

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why a need stays short; a shortfall bears the first of these, in this order, that applies."""

    READ_ONLY = "ReadOnly"
    BOOTSTRAP_REJECTED = "BootstrapRejected"
    RATE_LIMITED = "RateLimited"
    WAITING_FOR_DRAIN = "WaitingForDrain"
    WAITING_FOR_CREATE = "WaitingForCreate"
    NO_MATCHING_MACHINE = "NoMatchingMachine"
    TOPOLOGY_UNSATISFIABLE = "TopologyUnsatisfiable"
    SPREAD_UNSATISFIABLE = "SpreadUnsatisfiable"
    PRICE_UNKNOWN = "PriceUnknown"
    QUOTA_EXHAUSTED = "QuotaExhausted"
    ADDRESSES_EXHAUSTED = "AddressesExhausted"
    STOCKED_OUT = "StockedOut"
    CAPACITY_EXHAUSTED = "CapacityExhausted"


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One need that stays short.

    Attributes
    ----------
    need
        Row number in the fleet's needs.
    count
        Machines short; under WAITING_FOR_CREATE the machines that are on their way too long.
    age_cycles
        For how many cycles in a row it has been short, this one included.
    """

    need: int
    count: int
    reason: Reason
    age_cycles: int = 1
