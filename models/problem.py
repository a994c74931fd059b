"""What a solve may decide: each problem opens routes that the others leave closed."""

from enum import StrEnum


class Problem(StrEnum):
    """A problem by the name that asks for it; all of them are solved in one model."""

    TRANSFER = "transfer"
    """Machines of one shard for needs of another."""

    PACKING = "packing"
    """Free machines of a shard for gangs of its own that are short."""

    VICTIMS = "victims"
    """Machines of a shard that are drained for gangs of its own that are short."""
