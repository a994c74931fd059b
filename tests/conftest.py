"""Profiles of hypothesis: ``pytest --hypothesis-profile=soak`` looks for long."""

from hypothesis import settings

settings.register_profile("soak", max_examples=20_000, deadline=None)
