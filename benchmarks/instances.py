"""The instances that ``bigfleet bench`` measures, for whoever measures something else on them."""

from planner.bench.instances import Size, cold_shard
from planner.bench.rebalancing.ownership import SIZES as OWNERSHIP_SIZES
from planner.bench.rebalancing.ownership import OwnershipSize, racks
from planner.bench.rebalancing.packing import SHAPES as PACKING_SHAPES
from planner.bench.rebalancing.packing import Shape as PackingShape
from planner.bench.rebalancing.packing import packing
from planner.bench.rebalancing.transfer_fleets import SIZES as TRANSFER_SIZES
from planner.bench.rebalancing.transfer_fleets import TransferSize, machine_rows, question_of
from planner.bench.rebalancing.victims import SIZES as VICTIMS_SIZES
from planner.bench.rebalancing.victims import victims_standing
from planner.bench.settled import settled
from planner.bench.storm import with_storm

__all__ = [
    "OWNERSHIP_SIZES",
    "PACKING_SHAPES",
    "TRANSFER_SIZES",
    "VICTIMS_SIZES",
    "OwnershipSize",
    "PackingShape",
    "Size",
    "TransferSize",
    "cold_shard",
    "machine_rows",
    "packing",
    "question_of",
    "racks",
    "settled",
    "victims_standing",
    "with_storm",
]
