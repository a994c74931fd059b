"""Why this and why not that: the best plan under a condition, beside the plan there is.

In reading order:

    condition    at most, or at least, so many machines over some lanes, as a step of its own
    case         what is asked about, and how: the best plan, the cheapest of equals
    apart        machines told apart that nothing else tells apart
    forbid       a move that is not made
    force        a need that is given a machine, or is served from a domain
    refusal      the first rule that does not let it be; remedy: what would change that
    comparison   two plans step by step and goal by goal, and what decides between them
    flip         the weight of one goal at which the choice turns

Nobody solves here: ``Case.ask`` does, behind whatever fence its owner has put up.
"""
