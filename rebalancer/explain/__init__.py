"""Why a need is short, and the smallest changes that would serve it.

    parcels     machines counted by what they do, at the end of a plan
    terms       what the need asks, one by one, and the rules about the fleet
    scene       the need, what it lacks, and which term refuses which parcels
    counting    how many machines it could have if only some terms held; skew: for spreads
    conflict    a smallest set of terms that together refuse it
    weights     what dropping a term weighs
    additions, turns, drops, displaced    ways to serve it, and what they cost
    ranking     the best of each kind, tried where that can be
    apply       a change made to a fleet document

No solver: with machines counted by the terms that refuse them, the least weighted slack of the
model is found by looking at each set of terms.
"""
