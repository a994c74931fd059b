"""Fleets with more pairs of group and need than can be drawn up: which few pairs to draw up.

Every lane of a draft is a number to be chosen, and most lanes are for nothing: of 2.3 million in a
fleet of 85,000 machines and 1,340 short needs, a plan uses some 7,000. To draw up all of them takes
longer than a plan may (decision 014). So a plan for such a fleet is made from a selection:

    selection  the lanes that look best for each need by itself
    drawn      the whole problem in counts, for the two engines that need no lanes
    question   that problem: arrays only, so that it can cross to a process
    answer     what flows and packing make of it: whole plans, and how much can be served at most
    seeds      such a plan as lanes and counts, to be drawn up beside the selection

What is drawn up is then a draft like any other, but what is proven of it holds for the selection
only. What holds for all lanes is how much can be served: by the flow of ``answer``.
"""
