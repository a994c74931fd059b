"""A plan that is asked about, with what it was made of and how long answers may take."""

import time
from dataclasses import dataclass

from models.audit import audit_plan, require
from models.errors import Fault, InputFault
from models.fleet import Fleet, Ints, Mask
from models.plan import Plan
from models.settings import Settings
from models.standing import Standing
from planner.deciding import standing_after_cycles
from planner.fence.asking import asking
from planner.solving import solved
from rebalancer.carried import carried
from rebalancer.instead.apart import apart
from rebalancer.instead.case import Ask, Case, case_of
from rebalancer.problems.assignment import draft_of
from rebalancer.question import Found, Question, believed
from rebalancer.settings import goals_from, limits_from, rules_from
from rebalancer.snapshot import Snapshot, snapshot_of
from rebalancer.solve import Task, named
from rebalancer.wide.stage import stage_of

ANSWERING_SECONDS = 0.1
"""Kept back from what is left for a question, to end the solver's process."""


@dataclass(frozen=True, eq=False, slots=True)
class AskedPlan:
    """All questions about the plan have to be answered by ``ends``, of the monotonic clock."""

    settings: Settings
    standing: Standing
    snapshot: Snapshot
    plan: Plan
    ends: float

    @property
    def fleet(self) -> Fleet:
        """Give the fleet beneath."""
        return self.standing.fleet

    def case(self, machines: Mask | None = None) -> Case:
        """Give the plan as counts of groups that tell marked machines, ``(M,)``, apart."""
        snapshot = self.snapshot if machines is None else apart(self.snapshot, machines)
        draft, limits = draft_of(snapshot), limits_from(self.settings, time.monotonic)
        weights = goals_from(self.settings)
        return case_of(draft, weights, carried(draft, self.plan), limits, _ask(self.ends))

    def judged(self, case: Case, counts: Ints) -> Plan:
        """Name the moves of counts, ``(X,)``, and have them judged as every plan is.

        Raises
        ------
        RuleBroken
            When they break a rule.
        """
        draft, objective = case.draft, case.objective
        singles = tuple(objective.single.values())
        question = Question(draft.shape, objective.steps, singles, case.plan, case.limits)
        now, weights = time.monotonic(), case.weights
        task = Task(draft.snapshot, draft, objective, weights, case.limits, now, question)
        plan = named(task, counts)
        require(audit_plan(self.standing, plan, self.settings))
        return plan


def asked_plan_of(fleet: Fleet, settings: Settings, path: str) -> AskedPlan:
    """Plan for a fleet as ``plan_fleet`` does, with one worker, so that answers can be repeated.

    All questions together may take as long as the plan: ``rebalance.deadline``.

    Raises
    ------
    InputFault
        When there are too many pairs of group and need to draw up all; ``path`` is the fleet's.
    """
    alone = settings.rebalance.model_copy(update={"workers": 1})
    settings = settings.model_copy(update={"rebalance": alone})
    standing = standing_after_cycles(fleet, settings)
    snapshot = snapshot_of(standing, rules_from(settings))
    if stage_of(snapshot, goals_from(settings), limits_from(settings)) is not None:
        message = "there are too many machines and needs that could go together to ask about one."
        raise InputFault([Fault(path, message)])
    plan = solved(standing, settings).plan
    return AskedPlan(settings, standing, snapshot, plan, time.monotonic() + alone.deadline)


def _ask(ends: float) -> Ask:
    """Give who asks the solver's process, until time is up, and believes nothing."""

    def ask(question: Question) -> Found:
        seconds = ends - ANSWERING_SECONDS - time.monotonic()
        if seconds <= 0 or not question.is_worth_a_search:
            return question.unanswered()
        try:
            with asking(question, seconds) as asked:
                claim, _ = asked.claim(seconds)
        except OSError:
            claim = None
        return question.unanswered() if claim is None else believed(question, claim)[0]

    return ask
