"""The hard rules that are decided on single machines, before they are grouped."""

from collections.abc import Callable

from models.fleet import Mask
from models.rules import Rule
from models.standing import Standing
from rebalancer.rules.available import available
from rebalancer.rules.price_known import price_known
from rebalancer.rules.untouched import untouched

MachineRule = Callable[[Standing], Mask]

MACHINE_RULES: dict[Rule, MachineRule] = {
    Rule.AVAILABLE: available,
    Rule.PRICE_KNOWN: price_known,
    Rule.BACKOFF: available,
    Rule.UNTOUCHED: untouched,
}
