"""How the judge names what it speaks of."""

from models.fleet import Fleet


def machine_name(fleet: Fleet, row: int) -> str:
    """Name a machine."""
    return f"machine {fleet.machines.ids[row]}"


def need_name(fleet: Fleet, row: int) -> str:
    """Name a need by its cluster and id."""
    need = fleet.needs[row]
    return f"need {need.cluster}/{need.id}"


def is_active(fleet: Fleet, cluster: int) -> bool:
    """Tell whether a cluster is heard from and acted for."""
    return not (fleet.silent[cluster] or fleet.shadow[cluster])
