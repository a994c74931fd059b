"""A finished sweep as a plain tree: what ``-o json`` and ``-o yaml`` show."""

from collections.abc import Sequence

from models.plan import Level
from planner.render.trees import Row, number
from planner.tune.trial import Effect, Result
from planner.tune.tuned import Tuned


def tune_tree(tuned: Tuned) -> dict[str, object]:
    """Give every number of a sweep.

    ``cost`` of a trial is by the present weights, ``ownCost`` by its own. All numbers of a trial
    are sums over the fleets; ``fleets`` has them one by one. All but ``seconds`` are the same
    whenever and wherever the same sweep is made.
    """
    judgement = tuned.judgement
    results = judgement.results
    return {
        "fleets": [{"fleet": name, "digest": digest} for name, digest in tuned.fleets],
        "weights": {
            str(each.goal): {
                "low": number(each.low),
                "high": number(each.high),
                "steps": each.steps,
                "spacing": "log" if each.is_log else "linear",
                "present": number(tuned.weights[each.goal]),
            }
            for each in tuned.ranges
        },
        "present": _trial_number(results, judgement.present),
        "knee": _trial_number(results, judgement.knee),
        "constant": list(map(str, judgement.constant)),
        "idle": list(map(str, judgement.idle)),
        "dominating": {str(goal): number(least) for goal, least in judgement.dominating.items()},
        "trials": [_trial(tuned, row) for row in range(len(results))],
        "failed": [
            {"trial": each.trial.number, "weights": _weights(each), "reason": each.failure}
            for each in judgement.failed
        ],
    }


def _trial_number(results: Sequence[Result], row: int | None) -> int | None:
    return None if row is None else results[row].trial.number


def _trial(tuned: Tuned, row: int) -> Row:
    judgement = tuned.judgement
    totals, result = judgement.totals, judgement.results[row]
    own = {**tuned.weights, **result.trial.weights}
    after = dict(zip(totals.goals, totals.values[row].tolist(), strict=True))
    return {
        "trial": result.trial.number,
        "weights": _weights(result),
        "front": bool(judgement.front[row]),
        "served": number(totals.served[row].sum()),
        "drained": number(totals.drained[row]),
        "created": number(totals.created[row]),
        "goals": {str(goal): number(value) for goal, value in after.items()},
        "cost": number(judgement.cost[row]),
        "ownCost": number(sum(own[goal] * value for goal, value in after.items())),
        "seconds": number(round(sum(each.seconds for each in result.effects), 3)),
        "fleets": [
            {"fleet": name} | _effect(each)
            for (name, _), each in zip(tuned.fleets, result.effects, strict=True)
        ],
    }


def _effect(effect: Effect) -> Row:
    return {
        "outcome": str(effect.outcome),
        "late": effect.is_late,
        "levels": [_level(level) for level in effect.levels],
        "served": effect.served,
        "drained": effect.drained,
        "created": effect.created,
        "goals": {
            str(goal): {"before": number(effect.before[goal]), "after": number(value)}
            for goal, value in effect.after.items()
        },
    }


def _level(level: Level) -> Row:
    return {"priority": level.priority, "asked": level.asked, "served": level.served}


def _weights(result: Result) -> Row:
    return {str(goal): number(weight) for goal, weight in result.trial.weights.items()}
