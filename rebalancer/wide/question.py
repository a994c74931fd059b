"""What is asked of flows and packing about all that could move at once."""

from dataclasses import dataclass

from models.fleet import Ints
from rebalancer.limits import Limits
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.transfer.exchange import Exchange


@dataclass(frozen=True, eq=False, slots=True)
class Shared:
    """Idle machines that both engines may take, ``B`` rows, ascending by rack.

    ``rack`` is a row of the packing's racks, ``offer`` one of the plain offers or -1, ``count`` the
    machines; all ``(B,)``. Gangs take those of a rack from the first row on. Needs take of an offer
    what stands in no rack first, and then from the last row on.
    """

    rack: Ints
    offer: Ints
    count: Ints


@dataclass(frozen=True, eq=False, slots=True)
class WideQuestion:
    """One problem, three ways.

    Attributes
    ----------
    plain
        Needs without domain, spread and floor, by all rules; costs are near enough.
    gangs
        Gangs of two levels that have no machines yet, into idle machines only.
    shared
        What a machine taken in one of them is in the other.
    everybody
        All needs, every rule left out that a flow cannot say: no plan serves more.
    """

    plain: Exchange
    gangs: Hall
    shared: Shared
    everybody: Exchange
    limits: Limits
