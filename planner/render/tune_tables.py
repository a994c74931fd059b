"""Results of ``tune`` with their weights and marks as tables, and what they say in sentences."""

from collections.abc import Sequence

from models.rules import Goal
from planner.render.table import Table, dollars, or_dash
from planner.render.tables import plain_number
from planner.tune.tuned import Tuned


def result_table(tuned: Tuned) -> Table:
    """Give different results, each once: how many trials have it, and with which weights.

    Goals that no trial changes are left out. The best in the goal that varies most comes first.
    """
    judgement, trading = tuned.judgement, tuned.judgement.trading
    totals = judgement.totals
    at = [totals.goals.index(goal) for goal in trading]
    groups = sorted(
        tuned.rows_alike(),
        key=lambda rows: ([*totals.values[rows[0], at].tolist()], rows[0]),
    )
    rows = []
    for group in groups:
        first = tuned.row_for(group)
        weights = [
            _span([judgement.results[row].trial.weights[goal] for row in group])
            for goal in tuned.swept
        ]
        rows.append(
            (
                _marks(tuned, group),
                str(judgement.results[first].trial.number),
                str(len(group)),
                *weights,
                *_figures(tuned, first, trading),
            )
        )
    weighed = [f"{goal} =" for goal in tuned.swept]
    figures = ("SERVED", "DRAINED", "CREATED", *map(str, trading), "COST")
    headings = ("MARK", "TRIAL", "TRIALS", *weighed, *figures)
    return Table("Results", headings, rows, "", frozenset(headings[1:]))


def trial_table(tuned: Tuned) -> Table:
    """Give every trial in a line, with all goals, and of several fleets what each gets."""
    judgement = tuned.judgement
    goals = judgement.totals.goals
    several = [name for name, _ in tuned.fleets] if len(tuned.fleets) > 1 else []
    rows = [
        (
            _marks(tuned, [row]),
            str(result.trial.number),
            *(plain_weight(result.trial.weights[goal]) for goal in tuned.swept),
            *_figures(tuned, row, goals),
            or_dash(", ".join(dict.fromkeys(str(each.outcome) for each in result.effects))),
            f"{sum(each.seconds for each in result.effects):.2f}",
            *(
                f"{each.served}/{each.drained}/{each.created}"
                for each in (result.effects if several else ())
            ),
        )
        for row, result in enumerate(judgement.results)
    ]
    weighed = [f"{goal} =" for goal in tuned.swept]
    figures = ("SERVED", "DRAINED", "CREATED", *map(str, goals), "COST")
    shares = [f"{name}: SERVED/DRAINED/CREATED" for name in several]
    headings = ("MARK", "TRIAL", *weighed, *figures, "OUTCOME", "SECONDS", *shares)
    numbers = frozenset(headings) - {"MARK", "OUTCOME"}
    return Table("Trials", headings, rows, "", numbers)


def sentences(tuned: Tuned) -> list[str]:
    """Say what a sweep shows of its weights, one thing a line."""
    judgement = tuned.judgement
    lines = []
    if judgement.knee is None:
        lines.append("The front has no knee: to give up some of one goal buys as much everywhere.")
    else:
        result = judgement.results[judgement.knee]
        weights = ", ".join(f"{g}={plain_weight(w)}" for g, w in result.trial.weights.items())
        lines.append(f"Knee: trial {result.trial.number}, {weights}.")
    if not tuned.judgement.trading:
        lines.append("Every trial gives the same result: nothing here trades one goal for another.")
    elif judgement.constant:
        lines.append(f"Never change: {_listed(judgement.constant)}.")
    if judgement.idle:
        lines.append(f"Weights that change nothing here: {_listed(judgement.idle)}.")
    lines += [
        f"From {goal}={plain_weight(least)} on no other swept weight changes anything."
        for goal, least in judgement.dominating.items()
    ]
    return lines


def plain_weight(weight: float) -> str:
    """Give a weight to six digits, as an option or a settings file takes it."""
    return f"{weight:.6g}"


def _figures(tuned: Tuned, row: int, goals: Sequence[Goal]) -> tuple[str, ...]:
    totals = tuned.judgement.totals
    return (
        plain_number(totals.served[row].sum()),
        plain_number(totals.drained[row]),
        plain_number(totals.created[row]),
        *(plain_number(totals.values[row, totals.goals.index(goal)]) for goal in goals),
        dollars(tuned.judgement.cost[row]),
    )


def _marks(tuned: Tuned, group: Sequence[int]) -> str:
    judgement = tuned.judgement
    marks = [
        mark for mark, row in ((">", judgement.present), ("*", judgement.knee)) if row in group
    ]
    return " ".join(["".join(marks), *(["front"] if judgement.front[group[0]] else [])]).strip()


def _span(weights: Sequence[float]) -> str:
    low, high = min(weights), max(weights)
    return plain_weight(low) if low == high else f"{plain_weight(low)}..{plain_weight(high)}"


def _listed(goals: Sequence[Goal]) -> str:
    return ", ".join(map(str, goals))
