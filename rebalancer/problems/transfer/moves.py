"""From a flow to moves: how many machines of which offer go to whom."""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from rebalancer.flows.shares import in_order, in_proportion, meeting
from rebalancer.problems.transfer.columns import freeze_table
from rebalancer.problems.transfer.exchange import Exchange
from rebalancer.problems.transfer.groups import Groups
from rebalancer.problems.transfer.network import Network


@dataclass(frozen=True, eq=False, slots=True)
class Moves:
    """Moves, ``L`` of them, sorted by (offer, wanted), no pair twice.

    ``offer`` and ``wanted`` are rows of the question's tables, ``count`` the machines, at least 1;
    all ``(L,)``.
    """

    offer: Ints
    wanted: Ints
    count: Ints

    def __post_init__(self) -> None:
        freeze_table(self.offer, self.wanted, self.count)

    def __len__(self) -> int:
        return len(self.count)


def moves_of(question: Exchange, groups: Groups, network: Network, flow: Ints) -> Moves:
    """Say who gives what to whom, so that every arc carries what it does in the flow.

    What a free arc carries is dealt out over its donors in proportion to what each offers, so that
    their shares of a thing stay as like as they were. What a group gets goes to its rows in their
    order. Of each thing the machines of the highest entry go to the highest levels: as the flow
    only climbs, whatever is left over may serve what is left over.
    """
    gives_offer, gives, gives_layer = _given(question, network, flow)
    gets_wanted, gets_thing, gets = _got(groups, network, flow)
    offers, wanted = question.offers, question.wanted
    giving = np.lexsort((gives_offer, -gives_layer, offers.thing[gives_offer]))
    getting = np.lexsort((gets_wanted, -wanted.level[gets_wanted], gets_thing))
    left, right, count = meeting(gives[giving], gets[getting])
    offer, receiver = gives_offer[giving][left], gets_wanted[getting][right]
    order = np.lexsort((receiver, offer))
    return Moves(offer[order], receiver[order], count[order])


def _given(question: Exchange, network: Network, flow: Ints) -> tuple[Ints, Ints, Ints]:
    """Give offers, the machines each gives, and the node through which they come in."""
    free, drained, head = network.free, network.drained, network.arcs.head
    dealt = in_proportion(flow[free.at], free.arc, question.offers.count[free.offer])
    offer = np.concatenate([free.offer, drained.offer])
    count = np.concatenate([dealt, flow[drained.at]])
    # Of one thing the nodes are in the order of their layers.
    node = np.concatenate([head[free.at][free.arc], head[drained.at]])
    some = count > 0
    return offer[some], count[some], node[some]


def _got(groups: Groups, network: Network, flow: Ints) -> tuple[Ints, Ints, Ints]:
    """Give rows of what is wanted, the thing each gets, and the machines."""
    order = np.argsort(groups.of_wanted, kind="stable")
    gets = in_order(flow[network.served], groups.of_wanted[order], groups.wanted_short[order])
    # The use arcs stand by group too, so both sides come to the same machines group by group.
    arc, row, count = meeting(flow[network.use.at], gets)
    return order[row], network.use.thing[arc], count
