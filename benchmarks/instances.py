"""The instances that ``bigfleet bench`` measures, for whoever measures something else on them."""

from planner.bench.instances import Size, cold_shard
from planner.bench.settled import settled
from planner.bench.storm import with_storm

__all__ = ["Size", "cold_shard", "settled", "with_storm"]
