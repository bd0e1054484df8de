"""Hypothesis profiles: the same examples on every machine unless somebody asks for new ones."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A slow shared machine is no failure, so there is no deadline; examples are derived from the test, not from a clock.
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# pytest --hypothesis-profile=explore looks for new examples.
settings.register_profile("explore", derandomize=False, deadline=None, max_examples=2000)
settings.load_profile("ci")
