"""Where capacity comes from: the port, and what stands behind it.

Knows only models and sits beside the engines; only the planner may import it.
"""
