"""Plan for a fleet from a file: cycles up to phase 2, the rebalancer, then the cycles' rest."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hotpath.cycle import Cycle
from models.action import Action
from models.fleet import Fleet, Mask
from models.plan import Plan
from models.problem import Problem
from models.settings import Settings
from models.standing import Standing
from planner.deciding import decide_all, finish_shards
from planner.progress import OnProgress
from planner.solving import solved


@dataclass(frozen=True, eq=False, slots=True)
class Planned:
    """A plan, the cycles around it and how the fleet stood in between.

    ``complaint`` says what the solver did wrong, else it is "". ``cycles_seconds`` is what the
    cycles took up to the plan, which no deadline binds.
    """

    plan: Plan
    complaint: str
    cycles: Sequence[Cycle]
    standing: Standing
    cycles_seconds: float = 0.0

    @property
    def actions(self) -> list[Action]:
        """Give the orders of all shards, in the order of the shards."""
        return [action for cycle in self.cycles for action in cycle.actions]


def plan_fleet(
    fleet: Fleet,
    settings: Settings,
    problems: Sequence[Problem] = tuple(Problem),
    on_progress: OnProgress | None = None,
) -> Planned:
    """Cycle every shard with an empty memory, and rebalance what stays short.

    Phase 3 and release come last and keep off the machines that the plan moves.

    Raises
    ------
    RuleBroken
        When the judge finds a rule broken, in an answer or in the fleet itself.
    """
    begun = time.monotonic()
    decided, standing = decide_all(fleet, settings)
    cycles_seconds = time.monotonic() - begun
    answer = solved(standing, settings, problems=problems, on_progress=on_progress)
    cycles = finish_shards(fleet, settings, decided, moved(fleet, answer.plan))
    return Planned(answer.plan, answer.complaint, cycles, standing, cycles_seconds)


def moved(fleet: Fleet, plan: Plan) -> Mask:
    """Mark the machines of the fleet that a plan moves."""
    mask = np.zeros(len(fleet.machines), dtype=np.bool_)
    for move in plan.moves:
        mask[list(move.machines)] = True
    return mask


def taken_by(fleet: Fleet, plan: Plan) -> Mask:
    """Mark the machines that a plan gives to a need, not those that only change their owner."""
    mask = np.zeros(len(fleet.machines), dtype=np.bool_)
    for move in plan.moves:
        if move.need >= 0:
            mask[list(move.machines)] = True
    return mask
