"""Shortfalls: one for each short need, none for any other, and the counts add up."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from models.audit.laws import Law
from models.audit.names import need_name
from models.audit.outlook import Outlook
from models.audit.violation import Violation
from models.machine import State
from models.shortfall import Reason, Shortfall


def shortage_violations(outlook: Outlook) -> Iterator[Violation]:
    """Compare what was reported with what is missing.

    Needs of shadow clusters are decided without being acted on, so what they would lack cannot be
    counted from the orders: theirs are not compared.
    """
    fleet = outlook.fleet
    reported = {shortfall.need: shortfall for shortfall in outlook.answer.shortfalls}
    for need, count in Counter(s.need for s in outlook.answer.shortfalls).items():
        if count > 1:
            yield Violation(Law.SHORTFALL, need_name(fleet, need), f"{count} shortfalls")
        if not outlook.is_own(need):
            yield Violation(Law.SHORTFALL, need_name(fleet, need), "is another shard's")
        elif fleet.silent[fleet.need_cluster[need]]:
            yield Violation(Law.SHORTFALL, need_name(fleet, need), "its cluster is silent")
    for need in range(len(fleet.needs)):
        if outlook.is_provided_for(need):
            message = _wrong(outlook, need, reported.get(need))
            if message:
                yield Violation(Law.SHORTFALL, need_name(fleet, need), message)


def _wrong(outlook: Outlook, need: int, shortfall: Shortfall | None) -> str:
    """Say what is wrong; what it lost in this cycle shows in the next and may be left out."""
    most = int(outlook.lacking[need])
    lost = outlook.lost_count(need) if most else 0
    least = max(most - lost, 0)
    if shortfall is None:
        return f"{least} short, not reported" if least else ""
    if shortfall.reason is Reason.WAITING_FOR_CREATE:
        return _wrong_on_the_way(outlook, need, shortfall, least)
    if not max(least, 1) <= shortfall.count <= most:
        return f"reported {shortfall.count} short, found {most}"
    if shortfall.reason is Reason.WAITING_FOR_DRAIN and outlook.waiting[need] < shortfall.count:
        return f"{shortfall.count} said to be draining for it, found {outlook.waiting[need]}"
    return ""


def _wrong_on_the_way(outlook: Outlook, need: int, shortfall: Shortfall, least: int) -> str:
    if least:
        return f"said to wait only for machines on their way, but lacks {least}"
    coming = np.isin(outlook.state, [State.CREATING, State.CONFIGURING, State.IDLE])
    on_the_way = int(np.count_nonzero(outlook.counted & coming & (outlook.serves == need)))
    if not 1 <= shortfall.count <= on_the_way:
        return f"{shortfall.count} said to be on their way, found {on_the_way}"
    return ""
