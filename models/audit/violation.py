"""A broken rule, and what to do when there is one."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.audit.laws import Law
from models.errors import RuleBroken
from models.rules import Rule


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that is broken.

    Attributes
    ----------
    rule
        A ``Rule`` where an engine has it as well, else a ``Law``; the value is for people.
    where
        The machine, need, shard, unit or level concerned, by name.
    message
        What is wrong, with the values.
    """

    rule: Rule | Law
    where: str
    message: str

    def __str__(self) -> str:
        """Give the line that a person reads."""
        return f"{self.where}: {self.message} ({self.rule.name}: {self.rule})"


def require(violations: Sequence[Violation]) -> None:
    """Do nothing when nothing is broken.

    Raises
    ------
    RuleBroken
        With every violation as a line of text.
    """
    if violations:
        raise RuleBroken([str(violation) for violation in violations])
