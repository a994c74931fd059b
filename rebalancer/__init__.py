"""The better answer: one solve over the shortfalls of all shards, and the only place with OR-Tools.

Pure, time comes in as limits. Knows hotpath and models; only the planner may import it.

The way of a plan, in reading order; ``solve`` is the door that goes it:

    snapshot      groups of like machines, told apart by sites and grain, and demands, with migrants
    rules         which pairs are allowed, and what limits the counts
    wide          where there are too many pairs: which few to draw up
    draft         lanes and limits, drawn up by ``problems.assignment``: the mathematics
    objective     the steps to minimise, and the goals in USD, as terms
    greedy        a good plan at once; carried: what is left of the last one
    question      what is asked, as numbers only, and what is believed of an answer
    search        taken apart, by flows, on one model (solver: CP-SAT), by neighbourhoods
    levels        from counts to what each level has, and what stays short
    naming        from counts to moves of machines; windows: when; wording: why
    problems.replace   what runs on a dear rung gives way to what is left free and costs less

``instead`` asks again under a condition: why a plan is as it is.

``flows`` is what the engines, bounds and ``wide`` share: circulations of least cost, proven;
``reclamation`` says what is lost with a machine that is taken.

Beside it: ``settings``, ``transfer_rules``, ``limits`` and ``digest`` say what a solve was given;
``problems.ownership`` is a way of its own.
"""
