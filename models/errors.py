"""Everything BigFleet raises on purpose, as one tree.

* BigFleetError
  + InputFault      what the caller gave makes no sense: mend the input (exit status 1)
  + RuleBroken      the judge found a hard rule broken in a finished answer: a fault of ours
  + ProviderError   a call to a provider of capacity went wrong
    - ProviderUnavailable   nobody knows whether it was done: repeat it, it is idempotent
    - ProviderThrottled     nothing was done: repeat it later
    - Unsupported           the provider has no such call
    - ProviderRefused       the provider cannot take the call as a whole: mend the call
  + Unreachable     a service that the caller named does not answer (exit status 4)

That something is short, or that no plan was found in time, is not an error but an answer:
see ``models.shortfall`` and ``models.outcome``.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with an input.

    ``path`` says where (``fleet.yaml: machines[3].resources.cpu``), ``message`` names the value
    and what to do about it. Both are one line.
    """

    path: str
    message: str

    def __str__(self) -> str:
        """Give the line that a person reads."""
        return f"{self.path}: {self.message}" if self.path else self.message


class BigFleetError(Exception):
    """Root of the tree; nothing raises it directly."""


class InputFault(BigFleetError):
    """An input that cannot be taken; carries every fault that was found, not the first."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        # The faults, not their text: a copy or a pickle is made from what stands here.
        super().__init__(tuple(faults))
        self.faults = tuple(faults)

    def __str__(self) -> str:
        """Give one line for each fault."""
        return "\n".join(str(fault) for fault in self.faults)

    def within(self, path: str) -> "InputFault":
        """Give the same faults, each path prefixed by the file (or field) they were found in."""
        return InputFault(
            [
                Fault(f"{path}: {fault.path}" if fault.path else path, fault.message)
                for fault in self.faults
            ]
        )


class RuleBroken(BigFleetError):
    """The judge refused an answer of an engine; carries each broken rule with its place."""

    def __init__(self, violations: Sequence[str]) -> None:
        super().__init__(tuple(violations))
        self.violations = tuple(violations)

    def __str__(self) -> str:
        """Give all of them in one line."""
        return "; ".join(self.violations)


class ProviderError(BigFleetError):
    """A call to a provider went wrong as a whole; one order that is refused is an answer."""

    def __init__(self, provider: str, message: str) -> None:
        super().__init__(provider, message)
        self.provider = provider
        self.message = message

    def __str__(self) -> str:
        """Name the provider and what it said."""
        return f"provider {self.provider}: {self.message}"


class ProviderUnavailable(ProviderError):
    """No answer, or one that says so: nobody knows whether the call was done. Repeat it."""


class ProviderThrottled(ProviderError):
    """Too many calls: nothing was done. Repeat it after ``retry_seconds``, 0.0 if nobody knows."""

    def __init__(self, provider: str, message: str, retry_seconds: float = 0.0) -> None:
        super().__init__(provider, message)
        self.args = (provider, message, retry_seconds)
        self.retry_seconds = retry_seconds


class Unsupported(ProviderError):
    """The provider has no such call, as bare metal has no Delete; repeating will not help."""


class ProviderRefused(ProviderError):
    """The provider cannot take the call as a whole: malformed, or not allowed."""


class Unreachable(BigFleetError):
    """A service that the caller named does not answer, or has gone away."""

    def __init__(self, address: str, message: str) -> None:
        super().__init__(address, message)
        self.address = address
        self.message = message

    def __str__(self) -> str:
        """Name the address and what went wrong, in one line."""
        return f"{self.address}: {self.message}"
