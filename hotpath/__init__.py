"""The fast answer: one cycle of one shard, as pure array kernels.

Knows only models. The rebalancer and the planner may import it.
"""
