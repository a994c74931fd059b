"""Who gets whose machines in a fleet of a hundred million: counts, one flow, and a proof.

The *draft* of ``rebalancer.draft`` has a variable for each group and need, and any limit there is;
this knows only what a flow can say, and so proves optimal what has a million arcs in seconds.

    exchange       what is asked: an Exchange of Offers, Wanted, Costs
    machine_rows   machines one by one, counted into offers; and named again once they move
    entry          from which level on an offer may serve: gap, and what a donor keeps
    groups         shortfalls that nothing tells apart
    network        the circulation
    objectives     in the order of ``rebalancer.objective``, as costs on its arcs
    moves          from the flow to who gives what to whom
    tally          what moves come to
    answer         the one door: transfer(question) -> Transfer; solved by ``rebalancer.flows``
"""
