"""Names from the command line to rows of a fleet, the nearest right one told for a wrong one."""

from collections.abc import Iterable, Sequence

import numpy as np

from models.documents.need_names import NeedNames
from models.errors import Fault, InputFault
from models.fleet import Mask
from models.nearest import did_you_mean
from models.plan import Move
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


def machine_mask(opened: Opened, name: str) -> Mask:
    """Mark the one machine, ``(M,)``, of that id.

    Raises
    ------
    InputFault
        When there is none.
    """
    mask: Mask = np.arange(len(opened.fleet.machines)) == machine_row(opened, name)
    return mask


def move_of(opened: Opened, moves: Sequence[Move], name: str) -> Move:
    """Give the move of a plan by its id.

    Raises
    ------
    InputFault
        When the plan makes no such move.
    """
    for move in moves:
        if move.id == name:
            return move
    raise _unknown(opened, "move", name, [move.id for move in moves])


def domain_mask(opened: Opened, name: str) -> Mask:
    """Mark the machines, ``(M,)``, of a domain: NAME or its path, or KEY=NAME, as in zone/rack.

    KEY is the label of a level, and needed only where several have a domain of that name.

    Raises
    ------
    InputFault
        When there is none, or there are several.
    """
    fleet = opened.fleet
    found: dict[str, Mask] = {}
    every: list[str] = []
    for level in fleet.levels:
        codes, paths = fleet.cell_domains(level)
        short = [path.rpartition("/")[2] for path in paths]
        every += short
        for code, path in enumerate(paths):
            # A name may hold = itself.
            if name in (path, short[code], f"{level}={path}", f"{level}={short[code]}"):
                found[f"{level}={path}"] = (codes == code)[fleet.machines.cell]
    key, is_given, value = name.partition("=")
    if not found and is_given and key not in fleet.levels:
        raise _unknown(opened, "level", key, fleet.levels)
    if not found:
        raise _unknown(opened, "domain", value or name, every)
    if len(found) > 1:
        message = f"{name!r} is the name of {len(found)} domains; write {_either(list(found))}."
        raise InputFault([Fault(f"{opened.path}: domains", message)])
    [mask] = found.values()
    return mask


def level_key(opened: Opened, name: str | None) -> str:
    """Give the label key of a level; for None the lowest of the topology.

    Raises
    ------
    InputFault
        When the fleet has no such level.
    """
    fleet = opened.fleet
    if name is None:
        if not fleet.topology:
            raise InputFault([Fault(f"{opened.path}: topology", "the fleet has no level.")])
        return fleet.topology[-1]
    if name not in fleet.levels:
        message = f"there is no level {name!r}{did_you_mean(name, fleet.levels)}"
        raise InputFault([Fault(f"{opened.path}: topology", message)])
    return name


def class_cells(opened: Opened, name: str | None) -> Mask:
    """Mark the cells, ``(C,)``, of the classes of that name; for None all.

    Raises
    ------
    InputFault
        When the fleet has no such class.
    """
    fleet = opened.fleet
    names = [each.name for each in fleet.classes]
    if name is not None and name not in names:
        message = f"there is no class {name!r}{did_you_mean(name, names)}"
        raise InputFault([Fault(f"{opened.path}: machines", message)])
    asked = np.array([name is None or name == each for each in names], dtype=np.bool_)
    mask: Mask = asked[fleet.cells.class_index]
    return mask


def _either(names: Sequence[str]) -> str:
    return " or ".join(names[:3]) + (" ..." if len(names) > 3 else "")


def _unknown(opened: Opened, kind: str, name: str, names: Iterable[str]) -> InputFault:
    message = f"there is no {kind} {name!r}{did_you_mean(name, names)}"
    return InputFault([Fault(f"{opened.path}: {kind}s", message)])
