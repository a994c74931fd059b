"""What wide tables say of a machine beyond its id."""

from collections.abc import Iterable
from dataclasses import dataclass

from models import labels
from models.fleet import Fleet


@dataclass(frozen=True, slots=True)
class MachineDetails:
    """Type, zone and price of one machine; a price that is unknown is NaN."""

    instance_type: str
    capacity_type: str
    zone: str
    price_per_hour: float


def details_of(fleet: Fleet, machines: Iterable[int]) -> list[MachineDetails]:
    """Give the details of machines by their row numbers, in the given order."""
    zones = fleet.cell_labels(labels.ZONE)
    found = []
    for row in machines:
        kind = fleet.classes[fleet.machines.class_index[row]]
        zone = zones[fleet.machines.cell[row]] or ""
        price = kind.price_per_hour
        found.append(MachineDetails(kind.instance_type, str(kind.capacity_type), zone, price))
    return found
