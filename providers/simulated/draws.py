"""Chance from a seed and names alone: whoever asks in whatever order gets the same."""

from hashlib import blake2b
from math import exp, inf, log, log1p
from statistics import NormalDist

from providers.simulated.knobs import Lognormal, Time

_NORMAL = NormalDist()


def uniform(seed: int, *names: str | int) -> float:
    """Give a number above 0 and below 1."""
    text = "\0".join(map(str, (seed, *names)))
    number = int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
    return (number + 0.5) / 2**64


def seconds(time: Time, chance: float) -> float:
    """Give how long something takes, for a chance between 0 and 1."""
    if isinstance(time, Lognormal):
        return time.median * exp(time.sigma * _NORMAL.inv_cdf(chance))
    return time.least + (time.most - time.least) * chance


def expected(time: Time) -> float:
    """Give the mean of a pair, the median of a skewed time: what a provider would tell."""
    return time.median if isinstance(time, Lognormal) else (time.least + time.most) / 2


def hours_until(probability: float, chance: float) -> float:
    """Give the hours until what happens with a probability an hour happens; infinite for 0."""
    if probability <= 0:
        return inf
    return 0.0 if probability >= 1 else log(chance) / log1p(-probability)
