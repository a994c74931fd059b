"""Measuring the rebalancer: one file a problem, with its seeded instances."""
