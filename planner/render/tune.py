"""The answer of ``tune``, for every format."""

from planner.render.formats import Answer, Part
from planner.render.tune_tables import result_table, sentences, trial_table
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
