"""What comes of asking for something else than the plan, in a sentence."""

from planner.render.tables import plain_number
from rebalancer.instead.comparison import Comparison, Contrast, Decider
from rebalancer.instead.flip import Flips


def answer_of(told: Comparison, turns: Flips | None) -> str:
    """Say what decides between a plan and what would be instead, and what would turn it."""
    if told.is_better:
        return "it would be better: the plan was not proven to be best. Give it more time."
    match told.decider:
        case Decider.NOTHING:
            return "it would be as good as the plan: which of them is made is chance."
        case Decider.GOALS:
            said = f"the goals would cost {plain_number(told.usd)} USD more"
            return f"{said}; {_turned(turns)}."
        case Decider.LEVEL:
            [level] = [each for each in told.levels if each.priority == told.priority]
            said = f"{_count(level, -1)} fewer would be served at priority {told.priority}"
        case Decider.DRAINED:
            said = f"{_count(told.drained, 1)} more would be drained"
        case Decider.CREATED:
            said = f"{_count(told.created, 1)} more would be created"
        case Decider.UNPRICED:
            said = f"{_count(told.unpriced, 1)} more of unknown price would be used"
    return f"{said}, which comes before all goals: no weight changes that."


def _turned(turns: Flips | None) -> str:
    if turns is None:
        return "from which weight on it would be chosen was not asked, as the plan is not proven"
    if turns.found:
        # What time left open is shown, too.
        return "it would be chosen with one weight changed as shown"
    return "no single weight changes that" if not turns.unknown else "time ran out for the weights"


def _count(change: Contrast, sign: int) -> str:
    machines = round(sign * change.difference)
    return f"{machines} {'machine' if machines == 1 else 'machines'}"
