"""The hard rules of the rebalancer, each a file and a line; twins of the hot path's masks.

A rule works where it can first be decided: on single machines before they are grouped, on pairs of
group and demand, or on the counts that a plan chooses.
"""
