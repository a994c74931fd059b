"""The project's own engine, given the same plain problem."""

import time
from collections import Counter
from itertools import chain
from typing import assert_never

import numpy as np

from benchmarks.peers import victims_fleet
from benchmarks.peers.peer import Answer, run
from benchmarks.peers.problems import Ownership, Packing, Problem, Transfer, Victims
from rebalancer.limits import Limits
from rebalancer.problems.ownership.balance import balanced
from rebalancer.problems.ownership.holdings import Holdings
from rebalancer.problems.ownership.tree import flat
from rebalancer.problems.packing.columns import RACK, Gangs, Racks
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.packing.search import pack
from rebalancer.problems.transfer.answer import Transfer as Found
from rebalancer.problems.transfer.answer import transfer
from rebalancer.problems.transfer.exchange import Exchange, Wanted, effective_costs
from rebalancer.problems.transfer.objectives import Measure
from rebalancer.problems.transfer.offers import Offers

MICRO = 1e6
SETTINGS = "one thread, defaults"


def answer(problem: Problem, seconds: float) -> Answer:
    """Give the engine's answer."""
    match problem:
        case Packing():
            return _packing(problem, seconds)
        case Transfer():
            return _transfer(problem)
        case Ownership():
            return _ownership(problem)
        case Victims():
            return victims_fleet.answer(problem, seconds)
    assert_never(problem)


def _packing(problem: Packing, seconds: float) -> Answer:
    racks, top = len(problem.rack_free), max(problem.gang_level)
    each = np.repeat(np.arange(len(problem.gang_size)), problem.gang_count)
    kinds = 1 + max([*problem.rack_kind, *chain.from_iterable(problem.gang_kinds)])
    eligible = np.zeros((len(problem.gang_kinds), kinds), dtype=np.bool_)
    for row, suits in zip(eligible, problem.gang_kinds, strict=True):
        row[suits] = True
    sets, set_of = np.unique(eligible, axis=0, return_inverse=True)
    question = Hall(
        Racks(
            np.array(problem.rack_kind),
            np.arange(racks),
            np.zeros(racks, dtype=np.int64),
            np.array(problem.rack_free),
        ),
        Gangs(
            np.array(problem.gang_size)[each],
            top - np.array(problem.gang_level)[each],
            set_of.reshape(-1)[each],
            np.full(len(each), RACK),
        ),
        sets,
    )
    found = pack(question, Limits(seconds=seconds, clock=time.monotonic))
    asked = np.bincount(
        np.array(problem.gang_level)[each], np.array(problem.gang_size)[each]
    ).astype(int)
    most = [*asked[asked > 0].tolist(), sum(problem.rack_free)]
    bounds = [whole - bound for whole, bound in zip(most, found.bounds, strict=True)]
    home = found.home.tolist()
    triples = [(int(g), rack, 1) for g, rack in zip(each, home, strict=True) if rack >= 0]
    return Answer(triples, bounds, SETTINGS, "")


def transfer_question(problem: Transfer) -> Exchange:
    """Give the engine's own question."""
    top = len(problem.priorities) - 1
    shape = (len(problem.profile_things), len(problem.thing_cost))
    eligible = np.zeros(shape, dtype=np.bool_)
    for row, things in zip(eligible, problem.profile_things, strict=True):
        row[things] = True
    level = np.array(problem.offer_level)
    return Exchange(
        priorities=np.array(problem.priorities[::-1]),
        eligible=eligible,
        offers=Offers(
            np.array(problem.offer_donor),
            np.array(problem.offer_thing),
            np.array(problem.offer_tier),
            np.where(level < 0, -1, top - level),
            np.array(problem.offer_count),
        ),
        wanted=Wanted(
            np.array(problem.wanted_receiver),
            np.array(problem.wanted_profile),
            top - np.array(problem.wanted_level),
            np.array(problem.wanted_penalty, dtype=np.float64),
            np.array(problem.wanted_short),
        ),
        costs=effective_costs(
            np.array(problem.thing_cost) / MICRO, np.array(problem.thing_risk) / MICRO, top + 1
        ),
        most_drains=np.array(problem.most_drains),
    )


def _transfer(problem: Transfer) -> Answer:
    found = transfer(transfer_question(problem))
    moves = (found.moves.offer, found.moves.wanted, found.moves.count)
    triples = list(zip(*(column.tolist() for column in moves), strict=True))
    return Answer(triples, _transfer_bounds(problem, found), SETTINGS, "")


def _transfer_bounds(problem: Transfer, found: Found) -> list[float | None]:
    """Give the bound of each goal of the judge; what nothing can change is as it is."""
    bounds: dict[tuple[Measure, int | None], float | None] = {
        (each.measure, each.level): each.value.bound for each in found.reached
    }
    top = len(problem.priorities) - 1
    short = Counter(dict.fromkeys(range(top + 1), 0))
    for level, count in zip(problem.wanted_level, problem.wanted_short, strict=True):
        short[level] += count
    served = [
        None if (more := bounds.get((Measure.SERVING, top - level), 0)) is None else count + more
        for level, count in short.items()
    ]
    rest = [bounds.get((measure, None), 0) for measure in (Measure.DRAINED, Measure.CREATED)]
    cost = None if found.bound_usd is None else found.bound_usd * MICRO
    return [*served, *rest, cost]


def _ownership(problem: Ownership) -> Answer:
    have = np.array(problem.have)
    is_open = np.isin(np.arange(have.shape[1]), problem.open)
    found = balanced(Holdings(have, np.zeros_like(have), is_open), flat(len(have)))
    group, shard = np.nonzero(found.after)
    triples = zip(group.tolist(), shard.tolist(), found.after[group, shard].tolist(), strict=True)
    bounds = (0, 0, found.moved) if found.proven else ()
    return Answer(list(triples), bounds, SETTINGS, "")


if __name__ == "__main__":
    run(answer)
