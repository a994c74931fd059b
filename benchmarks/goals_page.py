"""The page on goals, docs/goals.md: `make goals` writes it, with figures from real solves.

The texts come from ``models.goal_texts``; docs/goals holds a small fleet for each goal whose weight
can decide, with what there is to decide in the comment at its head.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from models.columns import fleet_of
from models.documents import fleet_from
from models.goal_texts import GOAL_TEXTS
from models.rules import Goal
from models.settings import Settings
from planner.example import example_fleet
from planner.files import write_text_atomically
from planner.opening import Sources, open_fleet
from planner.render.tables import plain_number
from planner.tune.ground import Ground, ground_of
from rebalancer.limits import Limits
from rebalancer.settings import goals_from
from rebalancer.weighed import Weighed, weighed

FACTORS = (0, 2, 10, 100)

LIMITS = Limits(seconds=None, work=100.0, workers=1, seed=0)
"""No clock and no chance. The example of 1,523 nodes is proven optimal with 0.05 of this work."""

ROUNDING_USD = 1e-3
"""A bound is lower than what is reached by a micro-dollar for each pair of group and need."""

FLEETS = Path(__file__).resolve().parent.parent / "docs" / "goals"

_INTRODUCTION = """\
# Goals

A plan serves each priority as well as it can, the highest first; then it drains as few machines as
it can; then it creates as few as it can. Goals decide only between plans that are alike in all of
this: the sum of weight x value over all goals, in USD, is then made as small as it can be.

So a weight is a price: what one unit of this goal may cost in others. Multiplying all weights by
one factor changes nothing, and a weight matters only where two goals pull apart. `bigfleet settings
goals` says what goals are, `bigfleet settings diff` what other weights mean, and `bigfleet plan`
how low each goal could be by itself, and where two pull apart.

This page is written by `make goals`; its texts are those of the program, and all its figures are
measured: one worker, seed 0, no clock.
"""


def goals_page(example: Ground, small: Mapping[Goal, tuple[str, Ground]]) -> str:
    """Write the page; ``small`` are what there is to decide, and the fleet where it is."""
    plain = _solved(example)
    again = {goal: {factor: _solved(example, goal, factor) for factor in FACTORS} for goal in Goal}
    parts = [_INTRODUCTION, *_on_the_example(example, plain, again)]
    for goal in Goal:
        parts += [*_words(goal, _weights(example)[goal]), _doubled(goal, plain, again[goal][2])]
        if goal in small:
            parts += _decided(goal, *small[goal])
    return "\n".join(parts)


def _solved(ground: Ground, goal: Goal | None = None, factor: float = 1.0) -> Weighed:
    """Plan with one goal at ``factor`` times its weight."""
    own = _weights(ground)
    weights = {each: usd * factor if each is goal else usd for each, usd in own.items()}
    return weighed(ground.snapshot, weights, LIMITS)


def _weights(ground: Ground) -> Mapping[Goal, float]:
    return goals_from(ground.settings)


def _on_the_example(
    example: Ground, plain: Weighed, again: Mapping[Goal, Mapping[int, Weighed]]
) -> Iterator[str]:
    yield "## The shipped example\n"
    yield (
        "`make run` plans a real cluster, which it writes to `out/fleet.yaml`. "
        f"{_moved(plain)} machines move.\n"
    )
    yield _table(
        ("goal", "before", "after", "least there could be", "unit", "weight", "USD after"),
        [_example_row(goal, example, plain) for goal in Goal],
    )
    yield _verdict(plain)
    yield _table(
        ("goal", *(f"x {factor}" if factor else "switched off" for factor in FACTORS)),
        [
            (f"`{goal}`", *(_change(plain, again[goal][factor]) for factor in FACTORS))
            for goal in Goal
        ],
    )


def _example_row(goal: Goal, example: Ground, plain: Weighed) -> tuple[str, ...]:
    value, weight = plain.plan.goals[goal], _weights(example)[goal]
    least = None if value.bound is None else value.bound / weight
    numbers = map(plain_number, (value.before, value.after, least))
    unit = GOAL_TEXTS[goal].unit
    return (f"`{goal}`", *numbers, unit, plain_number(weight), plain_number(value.cost))


def _verdict(plain: Weighed) -> str:
    apart = [f"`{goal}`" for goal in Goal if not _is_least(plain, goal)]
    if apart:
        return f"{', '.join(apart)} could be lower at the cost of others. What other weights do:\n"
    return (
        "Every goal is as low as it could be if it stood alone (proven, to a tenth of a cent): no "
        "two pull apart, so no weight can buy anything. What other weights do:\n"
    )


def _is_least(plain: Weighed, goal: Goal) -> bool:
    value = plain.plan.goals[goal]
    return value.bound is not None and value.cost - value.bound <= ROUNDING_USD


def _words(goal: Goal, weight: float) -> Iterator[str]:
    text = GOAL_TEXTS[goal]
    yield f"## `{goal}`\n"
    yield f"{text.meaning}\n"
    yield "    " + text.formula.replace(" + ", "\n    + ") + "\n"
    yield f"- Unit: {text.unit}. Weight: {plain_number(weight)} {text.weight_unit}."
    yield f"- A weight of x: {text.weight}"
    if text.note:
        yield f"- Note: {text.note}"


def _doubled(goal: Goal, plain: Weighed, doubled: Weighed) -> str:
    value = plain_number(plain.after[goal])
    change = _change(plain, doubled)
    return f"- On the shipped example: {value}. With the weight doubled: {change}.\n"


def _decided(goal: Goal, question: str, ground: Ground) -> Iterator[str]:
    plain, doubled = _solved(ground), _solved(ground, goal, 2)
    weight = plain_number(2 * _weights(ground)[goal])
    yield f"Where it decides: {question}\n"
    yield (
        "```console\n"
        f"$ bigfleet plan docs/goals/{goal}.yaml\n"
        f"$ bigfleet plan docs/goals/{goal}.yaml --set goals.{goal}={weight}\n"
        "```\n"
    )
    rows = [("machines", _machines(ground, plain), _machines(ground, doubled))]
    rows += [
        (f"`{each}`, {GOAL_TEXTS[each].unit}", plain_number(old), plain_number(new))
        for each, old, new in _changed(plain, doubled)
    ]
    yield _table(("", "default", "doubled"), rows)


def _change(plain: Weighed, other: Weighed) -> str:
    changed = [f"`{goal}` {old:.6g} to {new:.6g}" for goal, old, new in _changed(plain, other)]
    if changed:
        return ", ".join(changed)
    # Where nothing is left to choose by, others of equal worth may be taken.
    return "nothing changes" if plain.plan.moves == other.plan.moves else "only other machines"


def _changed(plain: Weighed, other: Weighed) -> list[tuple[Goal, float, float]]:
    pairs = [(goal, plain.after[goal], other.after[goal]) for goal in Goal]
    return [(goal, old, new) for goal, old, new in pairs if abs(new - old) > 1e-9]


def _moved(plain: Weighed) -> int:
    return sum(len(move.machines) for move in plain.plan.moves)


def _machines(ground: Ground, plan: Weighed) -> str:
    ids = ground.snapshot.standing.fleet.machines.ids
    return ", ".join(f"`{ids[row]}`" for move in plan.plan.moves for row in move.machines)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def page() -> str:
    """Write the page for the shipped example and the fleets of docs/goals."""
    example = ground_of("example", fleet_of(fleet_from(example_fleet())), Settings())
    small = {Goal(file.stem): _small(file) for file in sorted(FLEETS.glob("*.yaml"))}
    return goals_page(example, small)


def _small(file: Path) -> tuple[str, Ground]:
    lines = file.read_text("utf-8").splitlines()
    question = " ".join(line.removeprefix("# ") for line in lines if line.startswith("# "))
    return question, ground_of(file.stem, open_fleet(str(file), Sources()).fleet, Settings())


if __name__ == "__main__":
    write_text_atomically(sys.argv[1], page())
