"""Everything BigFleet raises on purpose, as one tree.

* BigFleetError
  + InputFault      what the caller gave makes no sense: mend the input (exit status 1)
  + RuleBroken      the judge found a hard rule broken in a finished answer: a fault of ours

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
