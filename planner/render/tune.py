"""The answer of ``tune``: results with their weights and marks, and what they say in sentences."""

from collections.abc import Sequence

from models.rules import Goal
from planner.render.formats import Answer, Part
from planner.render.table import Table, dollars, or_dash
from planner.render.tables import plain_number
from planner.render.tune_tree import tune_tree
from planner.tune.tuned import Tuned

_LEGEND = (
    "> present weights, * knee of the front; front: no other result is as good in all columns and "
    "better in one. COST is of all goals by the present weights."
)


def tune_answer(tuned: Tuned) -> Answer:
    """Give a finished sweep in every format; its names are the trials on the front."""
    judgement = tuned.judgement

    def parts(wide: bool) -> list[Part]:
        table = trial_table(tuned) if wide else result_table(tuned)
        return [table, "\n".join([_LEGEND, *sentences(tuned)])]

    def page() -> str:
        from planner.report.tune_page import tune_page

        return tune_page(tuned)

    def names() -> list[str]:
        pairs = zip(judgement.results, judgement.front.tolist(), strict=True)
        return [f"trial/{result.trial.number}" for result, is_front in pairs if is_front]

    return Answer(tune_tree(tuned), names, parts, page)


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
        first = _shown_row(tuned, group)
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
            or_dash(", ".join(dict.fromkeys(str(each.outcome) for each in result.reached))),
            f"{sum(each.seconds for each in result.reached):.2f}",
            *(
                f"{each.served}/{each.drained}/{each.created}"
                for each in (result.reached if several else ())
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


def _shown_row(tuned: Tuned, group: Sequence[int]) -> int:
    """Give the row that stands for trials with one result: the marked one, else the first."""
    judgement = tuned.judgement
    marked = [row for row in (judgement.knee, judgement.present) if row in group]
    return next((row for row in marked if row is not None), group[0])


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
