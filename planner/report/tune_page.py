"""The page of a sweep: the trade-off as a picture, different results, and every trial."""

from planner.render.tune_tables import plain_weight, result_table, sentences, trial_table
from planner.report.frame import framed
from planner.report.markup import escaped, paragraph, section, table
from planner.report.tune_picture import Point, trade_off
from planner.tune.space import MOST_TRIALS
from planner.tune.tuned import Tuned

_LIGHT = "<style>.drawn { background: #ffffff; color: #1b1f27; border-radius: 8px; }</style>"
"""The picture has colours of its own, for a light ground."""


def tune_page(tuned: Tuned) -> str:
    """Give the whole HTML text of a finished sweep."""
    names = ", ".join(name for name, _ in tuned.fleets)
    title = f"Weights for {names}"
    swept = "; ".join(map(str, tuned.ranges))
    count = len(tuned.judgement.results)
    every = trial_table(tuned)
    body = "\n".join(
        (
            f"<h1>{escaped(title)}</h1>",
            paragraph(f"{count:,} solves; swept: {swept}."),
            *(paragraph(line) for line in sentences(tuned)),
            section("What is traded", _picture(tuned)),
            section("Different results", table(result_table(tuned))),
            section("Every trial", table(every, most=MOST_TRIALS + 1)),
        )
    )
    return framed(title, body)


def _picture(tuned: Tuned) -> str:
    trading = tuned.judgement.trading
    if len(trading) < 2:
        return paragraph("Fewer than two goals vary, so there is no trade-off to draw.")
    x, y = trading[:2]
    goals, values = tuned.judgement.totals.goals, tuned.judgement.totals.values
    points = [
        _point(tuned, rows, *(float(values[rows[0], goals.index(goal)]) for goal in (x, y)))
        for rows in tuned.rows_alike()
    ]
    drawn = trade_off(points, f"{x} (smaller is better)", f"{y} (smaller is better)")
    told = paragraph(f"The two goals that vary by most USD: {x} and {y}.")
    return f'{_LIGHT}{told}<div class="drawn">{drawn}</div>'


def _point(tuned: Tuned, rows: list[int], x: float, y: float) -> Point:
    judgement = tuned.judgement
    trial = judgement.results[tuned.row_for(rows)].trial
    weights = ", ".join(f"{goal}={plain_weight(w)}" for goal, w in trial.weights.items())
    return Point(
        x=x,
        y=y,
        trials=len(rows),
        is_front=bool(judgement.front[rows[0]]),
        is_knee=judgement.knee in rows,
        is_present=judgement.present in rows,
        label=f"trial {trial.number}: {weights}",
    )
