"""Gangs: all in one domain, and all it was missing or nothing."""

from collections.abc import Iterator

import numpy as np

from models.audit.laws import Law
from models.audit.names import need_name
from models.audit.outlook import Outlook
from models.audit.violation import Violation
from models.fleet import Codes
from models.machine import State
from models.rules import Rule

_GONE = (State.FAILED, State.DELETING)


def gang_violations(outlook: Outlook) -> Iterator[Violation]:
    """Judge each gang that got machines in this cycle; machines draining for it are coming."""
    fleet = outlook.fleet
    for row, need in enumerate(fleet.needs):
        if need.same is None:
            continue
        got = outlook.newly_got(row)
        if not np.any(got):
            continue
        # What has a notice no longer counts, so it holds the gang in no domain either.
        members = (outlook.serves == row) & ~np.isin(outlook.state, _GONE)
        members &= np.isnan(fleet.machines.reclaim_at)
        coming = np.count_nonzero(members)
        if coming + outlook.lost_count(row) < need.count:
            message = f"got {np.count_nonzero(got)}, but has only {coming} of {need.count}"
            yield Violation(Law.WHOLE_GANG, need_name(fleet, row), message)
        codes, names = fleet.cell_domains(need.same)
        domain = codes[fleet.machines.cell]
        message = misplaced(domain[got], domain[members & ~got], names)
        if message:
            yield Violation(Rule.DOMAIN, need_name(fleet, row), message)


def misplaced(
    got: Codes,
    held: Codes,
    names: tuple[str, ...],
) -> str:
    """Say what is wrong with the domains a gang got beside those it holds; empty: nothing."""
    if np.any(got < 0):
        return "a machine is in no domain of that level"
    found = sorted({names[code] for code in got})
    if len(np.unique(got)) > 1:
        return f"spread over {len(np.unique(got))} domains: {', '.join(found)}"
    known = held[held >= 0]
    if known.size and got.size and got[0] not in known:
        return f"in {found[0]}, but the gang holds another domain"
    return ""
