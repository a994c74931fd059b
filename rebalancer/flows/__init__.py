"""Circulations of least cost, and proofs for which the solver need not be believed.

Knows numbers on arcs and nothing of machines. ``problems.transfer``, ``problems.replace``,
``search`` (for bounds) and ``wide`` say what they ask as such a circulation.

    arcs           the arcs of one, laid in blocks
    cheapest       the solver: OR-Tools' min-cost flow
    proof          bounds by reduced costs, and which flows reach them
    lexicographic  objectives one after the other, each proven before the next
    shares         from a flow back to rows: dealing whole numbers out
"""
