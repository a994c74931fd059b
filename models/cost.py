"""Money: what a machine costs an hour with the risk of losing it, in whole nano-dollars."""

from decimal import Decimal
from fractions import Fraction
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

NANOS_PER_USD = 10**9

SATURATED_COST = 9 * 10**18
"""Largest known cost; costs this high compare by interruption probability, then by price."""

UNKNOWN_COST = 2**63 - 1
"""Stands for the cost of a machine whose price is unknown; above every known one."""

DEAREST_USD = 1e15
"""Prices and penalties above this count as this where they are summed, so that sums stay finite."""

HOURS_PER_MONTH = 730

# The float path makes at most six roundings of 2**-53 each: three inputs against the decimals they
# print as, product, sum, conversion to nanos. Eight leave room for the second-order terms.
_RELATIVE_ERROR = 8 * 2.0**-53

_SMALLEST_NORMAL = float(np.finfo(np.float64).smallest_normal)


def effective_cost_nanos(
    price_usd: ArrayLike, interruption_probability: ArrayLike, penalty_usd: ArrayLike
) -> NDArray[np.int64]:
    """Give ``price + probability * penalty`` an hour, broadcast, rounded once, half to even.

    The numbers count as the decimals they print as, so that costs which are equal on paper are
    equal here: 0.1 + 0.7 x 1 ties with 0.8. A NaN price is unknown and gives ``UNKNOWN_COST``;
    costs beyond ``SATURATED_COST`` become it. Entries near a rounding boundary, and those above
    500,000 USD, are computed again with fractions, once for each distinct triple.

    Raises
    ------
    ValueError
        When a number is negative or infinite, or a probability or penalty is NaN.
    """
    price = np.asarray(price_usd, dtype=np.float64)
    probability = np.asarray(interruption_probability, dtype=np.float64)
    penalty = np.asarray(penalty_usd, dtype=np.float64)
    unknown = np.isnan(price)
    known_price = np.where(unknown, 0.0, price)
    _refuse_senseless("price", known_price)
    _refuse_senseless("interruption probability", probability)
    _refuse_senseless("penalty", penalty)
    known = _known_cost_nanos(known_price, probability, penalty)
    return np.asarray(np.where(unknown, UNKNOWN_COST, known), dtype=np.int64)


@overload
def hourly_probability(monthly: float) -> float: ...
@overload
def hourly_probability(monthly: NDArray[np.float64]) -> NDArray[np.float64]: ...
def hourly_probability(
    monthly: float | NDArray[np.float64],
) -> float | NDArray[np.float64]:
    """Give the probability per hour of what happens with this probability per month.

    Raises
    ------
    ValueError
        When a probability is not between 0 and 1.
    """
    rate = np.asarray(monthly, dtype=np.float64)
    if not np.all((rate >= 0) & (rate <= 1)):
        raise ValueError(f"{monthly} is not a probability; it must lie between 0 and 1.")
    with np.errstate(divide="ignore"):  # log1p(-1) is -inf, and the answer 1
        hourly = -np.expm1(np.log1p(-rate) / HOURS_PER_MONTH)
    return np.asarray(hourly) if isinstance(monthly, np.ndarray) else float(hourly)


def _refuse_senseless(name: str, column: NDArray[np.float64]) -> None:
    if not np.all((column >= 0) & (column < np.inf)):
        raise ValueError(f"a {name} is negative or not finite.")


def _known_cost_nanos(
    price: NDArray[np.float64], probability: NDArray[np.float64], penalty: NDArray[np.float64]
) -> NDArray[np.int64]:
    with np.errstate(over="ignore", under="ignore"):
        estimate = np.asarray((price + probability * penalty) * NANOS_PER_USD)
    saturated = estimate > SATURATED_COST * (1 + 2 * _RELATIVE_ERROR)
    estimate[saturated] = 0.0
    doubtful = np.asarray(np.abs(estimate - np.floor(estimate) - 0.5) <= estimate * _RELATIVE_ERROR)
    # Denormal factors print with few digits, so the error bound above does not hold for them.
    for factor in (probability, penalty):
        doubtful |= (factor > 0) & (factor < _SMALLEST_NORMAL)
    nanos = np.asarray(np.rint(estimate).astype(np.int64))
    nanos[saturated] = SATURATED_COST
    if np.any(doubtful):
        triples = zip(
            *(
                np.broadcast_to(column, doubtful.shape)[doubtful].tolist()
                for column in (price, probability, penalty)
            ),
            strict=True,
        )
        nanos[doubtful] = _exactly(list(triples))
    return nanos


def _exactly(triples: list[tuple[float, float, float]]) -> list[int]:
    known = {triple: _one_exactly(*triple) for triple in set(triples)}
    return [known[triple] for triple in triples]


def _one_exactly(price: float, probability: float, penalty: float) -> int:
    usd = _decimal(price) + _decimal(probability) * _decimal(penalty)
    return min(round(usd * NANOS_PER_USD), SATURATED_COST)


def _decimal(value: float) -> Fraction:
    return Fraction(Decimal(repr(value)))
