"""Improve a plan step by step until it is proven best or the limits are used up.

It starts from a plan that keeps all limits and never gives back a worse one. Every value is
recomputed from the counts; no status of a solver is trusted.
"""

from rebalancer.search.door import search

__all__ = ["search"]
