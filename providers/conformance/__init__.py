"""Run the contract against anybody's provider, over gRPC, and say check by check how it stands.

``checks.CHECKS`` is the list, in the order in which it runs; ``run.conform`` runs it.
"""
