"""The answer of ``conformance``: check, verdict and what was seen, line by line."""

from collections import Counter

from planner.render.formats import Answer, Part
from planner.render.table import Table, brief
from providers.conformance.run import Report
from providers.conformance.verdict import Verdict


def conformance_answer(address: str, report: Report) -> Answer:
    """Give a run of the kit in every format; its names are the checks that failed."""
    counts = Counter(result.verdict for result in report.results)
    tree = {
        "address": address,
        **{verdict.value: counts[verdict] for verdict in Verdict},
        "checks": [
            {
                "check": result.check.name,
                "verdict": result.verdict.value,
                "says": result.check.says,
                "what": result.what,
            }
            for result in report.results
        ],
        "machines": report.used,
        "left": [{"machine": name, "reason": reason} for name, reason in report.left.items()],
        "earlier": [{"machine": name, "reason": reason} for name, reason in report.earlier.items()],
    }

    def parts(wide: bool) -> list[Part]:
        rows = [(each.check.name, each.verdict.value, each.what) for each in report.results]
        table = Table(f"Provider at {address}", ("CHECK", "VERDICT", "WHAT"), rows)
        used = f"used {brief(report.used)}" if report.used else "no machine was used"
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict)
        return [table, f"{verdicts}; {used}."]

    return Answer(tree, lambda: [f"check/{each.check.name}" for each in report.failed], parts)
