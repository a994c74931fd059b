"""What the kit may use, and how long it waits."""

from dataclasses import dataclass, field
from enum import StrEnum

ROLE_LABEL = "bigfleet.dev/conformance"
"""The label by which a provider gives a machine a role; whoever runs the kit may do it as well."""

SHARD = "bigfleet-conformance"
"""Whom the kit gives itself out for; machines that another shard owns are left alone."""


class Role(StrEnum):
    """What only the provider under test can arrange. The machine serves no other check."""

    HANG_CREATE = "hang-create"
    HANG_CONFIGURE = "hang-configure"
    UNPRICED = "unpriced"


@dataclass(frozen=True, slots=True)
class KitSettings:
    """What whoever runs the kit may say.

    Attributes
    ----------
    epoch
        Of the orders; higher than in any earlier run: milliseconds since 1970 do.
    machines
        A glob of ids; None: any that nobody owns, but none is made real that cannot be given back.
    most
        How many machines may be real at a time for the kit.
    seconds
        How long one transition may take.
    cluster, user_data
        What machines are configured with.
    roles
        Pairs of a role and a machine's id.
    """

    epoch: int
    machines: str | None = None
    most: int = 8
    seconds: float = 300.0
    cluster: str = "bigfleet-conformance"
    user_data: bytes = field(default=b"#cloud-config\n# bigfleet conformance kit\n", repr=False)
    roles: tuple[tuple[Role, str], ...] = ()
