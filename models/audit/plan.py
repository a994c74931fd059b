"""The judge of a plan: every hard rule on every move, and every number it claims."""

from collections.abc import Iterator

from models.audit.claims import claim_violations
from models.audit.climbs import climb_violations
from models.audit.donors import donor_violations
from models.audit.laws import Law
from models.audit.migrations import migration_violations
from models.audit.moves import move_violations
from models.audit.receivers import receiver_violations
from models.audit.totals import total_violations
from models.audit.transfers import transfers_of
from models.audit.violation import Violation
from models.outcome import Outcome
from models.plan import Plan
from models.settings import Settings
from models.standing import Standing

_CHECKS = (
    move_violations,
    donor_violations,
    receiver_violations,
    migration_violations,
    climb_violations,
    claim_violations,
    total_violations,
)


def audit_plan(standing: Standing, plan: Plan, settings: Settings) -> tuple[Violation, ...]:
    """Give every rule that a plan breaks, judged from how the fleet stood when it was asked for.

    A plan that names rows which do not exist is refused for that alone. What the standing does not
    tell (machines that cool down after a transfer, the age of the plan) is not judged.
    """
    if plan.outcome is Outcome.INFEASIBLE:
        return tuple(_without_answer(plan))
    dangling = tuple(_dangling(standing, plan))
    if dangling:
        return dangling
    transfers = transfers_of(standing, plan, settings)
    return tuple(violation for check in _CHECKS for violation in check(transfers))


def _without_answer(plan: Plan) -> Iterator[Violation]:
    if plan.moves or not plan.conflicts:
        message = f"{len(plan.moves)} moves, {len(plan.conflicts)} conflicts named"
        yield Violation(Law.NO_MOVES, "the plan", message)


def _dangling(standing: Standing, plan: Plan) -> Iterator[Violation]:
    fleet = standing.fleet
    machines, needs, shards = len(fleet.machines), len(fleet.needs), len(fleet.shards)
    for move in plan.moves:
        sound = (
            all(0 <= row < machines for row in move.machines)
            and 0 <= move.need < needs
            and -1 <= move.victim < needs
            and 0 <= move.source < shards
            and 0 <= move.target < shards
        )
        if not sound:
            yield Violation(Law.MOVE_SHAPE, f"move {move.id}", "names a row that does not exist")
    unmet, displaced = [e.need for e in plan.unmet], [e.need for e in plan.displaced]
    for law, named in ((Law.UNMET, unmet), (Law.DISPLACED, displaced)):
        for need in named:
            if not 0 <= need < needs:
                yield Violation(law, "the plan", f"need number {need} is none")
