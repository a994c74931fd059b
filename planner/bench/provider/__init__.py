"""Measuring a provider over gRPC: the simulated one in a process of its own, and calls to it."""
