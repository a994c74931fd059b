"""Why a provider refused or failed a call, as its errors say."""

from enum import StrEnum


class FailureClass(StrEnum):
    """The class that every provider error carries."""

    CAPACITY = "CAPACITY"
    QUOTA = "QUOTA"
    IP = "IP"
    THROTTLED = "THROTTLED"
    INVALID = "INVALID"
    INTERNAL = "INTERNAL"
