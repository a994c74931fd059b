"""The hard rules in the order in which they refuse; ``rebalancer.rules`` holds their twins."""

from collections.abc import Callable

import numpy as np

from hotpath.plain.ledger import Ledger
from hotpath.plain.rules.available import available
from hotpath.plain.rules.backoff import out_of_backoff
from hotpath.plain.rules.domain import in_domain
from hotpath.plain.rules.fits import fits
from hotpath.plain.rules.floor import above_floor
from hotpath.plain.rules.matches import matches
from hotpath.plain.rules.price_known import price_known
from hotpath.plain.rules.priority import gives_way
from hotpath.plain.rules.spread import keeps_skew
from hotpath.plain.rules.untouched import may_be_touched
from models.fleet import Mask
from models.rules import Rule

RuleMask = Callable[[Ledger, int], Mask]
"""Takes the books of a cycle and a need; marks the machines, ``(m,)``, that the need may have."""


def _matches(ledger: Ledger, need: int) -> Mask:
    matching, cell = ledger.matching, ledger.inventory.machines.cell
    mask: Mask = matches(matching.labels, ledger.needs[need], matching.bootstrap_keys)[cell]
    return mask


def _fits(ledger: Ledger, need: int) -> Mask:
    by_cell = fits(ledger.inventory.fleet, ledger.needs[need])
    mask: Mask = by_cell[ledger.inventory.machines.cell]
    return mask


HARD_RULES: dict[Rule, RuleMask] = {
    Rule.MATCHES: _matches,
    Rule.FITS: _fits,
    Rule.UNTOUCHED: may_be_touched,
    Rule.PRIORITY: gives_way,
    Rule.AVAILABLE: available,
    Rule.PRICE_KNOWN: price_known,
    Rule.BACKOFF: out_of_backoff,
    Rule.DOMAIN: in_domain,
    Rule.SPREAD: keeps_skew,
    Rule.FLOOR: above_floor,
}


def refusals(ledger: Ledger, need: int) -> tuple[dict[Rule, Mask], Mask]:
    """Give, for each rule, the machines it is the first to refuse; and those nothing refuses."""
    left = np.ones(len(ledger.inventory), dtype=np.bool_)
    refused: dict[Rule, Mask] = {}
    for rule, mask in HARD_RULES.items():
        allowed = mask(ledger, need)
        refused[rule] = left & ~allowed
        left = left & allowed
    return refused, left
