"""Climbing back: machines that serve on a dear rung give way to cheaper ones that are free.

Once what is short has been served as well as it can be, and only where the settings let machines
move. The mathematics: a *running* group o is some machines of one class that serve need n(o) and
are taken away at one penalty; a *fresh* group g some free ones of one class. Over the horizon of h
hours, in USD,

    a_o  =  h c(o) - interruption penalty of n - reclamation penalty    what giving one up saves
    b_gn =  h c(g, n) + 2 start(g)                                      what having one costs
    c    =  price + p x interruption penalty of the need; the price of what is paid anyway is 0
    start(g) = price of g over its expected ready seconds; 0 for what has a host

    max  sum over pairs (o, g) of x_og (a_o - b_gn(o)),  only pairs above 0

where x_og machines of g take the place of as many of o. As worth and cost are apart, that is a flow
from the fresh groups through the needs to the running ones: it needs no pairs. A gang pays its
interruption once and goes whole into one domain, or stays: that is decided by branch and bound over
the flow.

    rungs     what a machine costs a need over the horizon
    places    where a need with a spread has a machine: the new one stands where the old one stood
    running   what may be replaced
    fresh     by what
    market    who may have what, at what price: offers of one shard
    network   arcs, and the flow over them
    gangs     branch and bound
    pairs     from flows to pairs of groups
    moves     from pairs to moves
    after     what the goals come to
    stage     the door
"""
