"""Put the decorators around a provider, in the one order in which they work together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import random

from providers.batching import Batching
from providers.breaker import Breaker, Guarded, Patience
from providers.budget import Budget, Budgeted, Limits
from providers.calls import AsCalls, AsProvider, Calls
from providers.fanout.bindings import Bindings
from providers.fanout.provider import Fanout
from providers.fanout.rests import Rests
from providers.metered import Metered, ProviderMetrics
from providers.port import CapacityProvider
from providers.retrying import Retries, Retrying
from providers.timing import Timing

_NO_LIMITS, _RETRIES, _PATIENCE = Limits(), Retries(), Patience()


@dataclass(frozen=True, slots=True)
class StackSettings:
    """Of one account in one region; ``window_seconds``: see ``Batching``, 0.0: nothing merges.

    Raises
    ------
    ValueError
        When an attempt would be given up while it may still wait for the budget.
    """

    limits: Limits = _NO_LIMITS
    retries: Retries = _RETRIES
    patience: Patience = _PATIENCE
    window_seconds: float = 0.05

    def __post_init__(self) -> None:
        wait, attempt = self.limits.wait_seconds, self.retries.attempt_seconds
        if wait >= attempt:
            raise ValueError(f"wait_seconds is {wait}; an attempt is given up after {attempt}.")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all decorators of a process share. ``chance`` gives numbers from 0 up to 1."""

    metrics: ProviderMetrics
    timing: Timing = field(default_factory=Timing)
    chance: Callable[[], float] = random


def stacked(
    provider: CapacityProvider,
    around: Surroundings,
    settings: StackSettings | None = None,
    budget: Budget | None = None,
) -> CapacityProvider:
    """Give a provider with all decorators around it.

    From the caller to the provider:

    1. ``Batching``: what is merged here is one call for all that follow, and one token.
    2. ``Retrying``: each attempt asks the circuit and the budget anew.
    3. ``Guarded``: an open circuit spends no tokens and waits for none.
    4. ``Budgeted``: the last before the wire, so that no call that is made goes uncounted.
    5. ``Metered``: sees each attempt as the provider does. What the budget or the circuit refuses
       is no call of the provider, and its callers count it.

    ``budget``: of its account and region, where several providers share one; else its own, by the
    settings.
    """
    return AsProvider(_stacked(provider, around, settings or StackSettings(), budget))


def _stacked(
    provider: CapacityProvider,
    around: Surroundings,
    settings: StackSettings,
    budget: Budget | None,
) -> Calls:
    timing = around.timing
    calls: Calls = Metered(AsCalls(provider), around.metrics, timing)
    calls = Budgeted(calls, budget or Budget(settings.limits, timing))
    calls = Guarded(calls, Breaker(settings.patience), timing)
    calls = Retrying(calls, settings.retries, timing, around.chance)
    return Batching(calls, settings.window_seconds, timing) if settings.window_seconds else calls


def fanned_out(
    name: str,
    accounts: Mapping[str, CapacityProvider],
    bindings: Bindings,
    around: Surroundings,
    settings: Mapping[str, StackSettings] | None = None,
    rests: Rests | None = None,
) -> CapacityProvider:
    """Give several accounts of a region as one provider.

    Each account has its own stack, by ``settings`` of its name, under the fan-out, which so sees
    what is left after repeats; around it all is one more ``Metered``, under the name of the region.
    """
    given = settings or {}
    stacks = {
        account: _stacked(provider, around, given.get(account, StackSettings()), None)
        for account, provider in accounts.items()
    }
    fanout = Fanout(name, stacks, bindings, rests or Rests(), around.timing)
    return AsProvider(Metered(fanout, around.metrics, around.timing))
