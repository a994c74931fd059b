"""How a solve ended: a value, since every one of these can happen on a good day."""

from enum import StrEnum


class Outcome(StrEnum):
    """The end of a solve; all but INFEASIBLE come with a plan that may be applied."""

    OPTIMAL = "OPTIMAL"
    FEASIBLE = "FEASIBLE"
    FALLBACK = "FALLBACK"
    INFEASIBLE = "INFEASIBLE"
