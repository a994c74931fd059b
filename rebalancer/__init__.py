"""The better answer: one solve over the shortfalls of all shards, and the only place with OR-Tools.

Pure, time comes in as limits. Knows hotpath and models; only the planner may import it.
"""
