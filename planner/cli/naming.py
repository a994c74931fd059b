"""Names from the command line to rows of a fleet, the nearest right one told for a wrong one."""

from collections.abc import Iterable

import numpy as np

from models.documents.need_names import NeedNames
from models.errors import Fault, InputFault
from models.nearest import did_you_mean
from planner.opening import Opened


def shard_rows(opened: Opened, name: str | None) -> list[int]:
    """Give the row of the shard of that name; all rows for None.

    Raises
    ------
    InputFault
        When the fleet has no such shard.
    """
    names = [shard.name for shard in opened.fleet.shards]
    if name is None:
        return list(range(len(names)))
    if name not in names:
        raise _unknown(opened, "shard", name, names)
    return [names.index(name)]


def need_row(opened: Opened, name: str) -> int:
    """Give the row of a need: by the name the file wrote, by cluster/id, or by a unique id.

    Raises
    ------
    InputFault
        When there is none, or several have that id.
    """
    needs = opened.fleet.needs
    names = NeedNames.of(needs)
    found = names.find(name)
    if found is not None:
        return found
    rows = names.bare.get(name, ())
    if rows:
        clusters = ", ".join(needs[row].cluster for row in rows[:5])
        message = f"{name!r} is the id of needs of {clusters}; write it as cluster/id."
        raise InputFault([Fault(f"{opened.path}: needs", message)])
    raise _unknown(opened, "need", name, names.written)


def machine_row(opened: Opened, name: str) -> int:
    """Give the row of a machine by its id.

    Raises
    ------
    InputFault
        When there is none.
    """
    ids = opened.fleet.machines.ids
    found = np.flatnonzero(ids == name)
    if not len(found):
        raise _unknown(opened, "machine", name, ids)
    return int(found[0])


def _unknown(opened: Opened, kind: str, name: str, names: Iterable[str]) -> InputFault:
    message = f"there is no {kind} {name!r}{did_you_mean(name, names)}"
    return InputFault([Fault(f"{opened.path}: {kind}s", message)])
