"""A snapshot as flows and packing see it, and what their rows stand for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from models.fleet import Ints, Mask
from models.problem import Problem
from models.rules import Goal
from rebalancer.limits import Limits
from rebalancer.problems.transfer.exchange import Exchange
from rebalancer.rules.priority import priority
from rebalancer.rules.route import own_shard
from rebalancer.snapshot import Snapshot
from rebalancer.wide.gangs import Packed, packed
from rebalancer.wide.offered import Offered, question_of
from rebalancer.wide.question import WideQuestion


@dataclass(frozen=True, eq=False, slots=True)
class Drawn:
    """The question and its rows in terms of the snapshot.

    ``offer_of_group`` has shape ``(G,)``; ``demand_of_wanted`` gives the demand of each row that
    the plain question wants.
    """

    question: WideQuestion
    offer_of_group: Ints
    demand_of_wanted: Ints
    packed: Packed


def drawn(
    snapshot: Snapshot,
    allowed: Mask,
    hopeless: Mask,
    weights: Mapping[Goal, float],
    limits: Limits,
) -> Drawn:
    """Draw up the whole problem.

    ``allowed`` marks the pairs, ``(G, N)``, that the rules allow, ``hopeless`` the gangs, ``(N,)``,
    that no domain could take.
    """
    demands = np.flatnonzero(~_is_special(snapshot))
    plain, found = question_of(snapshot, demands, weights)
    packing = packed(snapshot, allowed, hopeless, found.row)
    question = WideQuestion(
        _by_the_rules(snapshot, allowed, demands, plain, found),
        packing.question,
        packing.shared,
        _everybody(snapshot, allowed, hopeless, weights),
        limits,
    )
    return Drawn(question, found.row, demands, packing)


def _is_special(snapshot: Snapshot) -> Mask:
    """Mark the demands, ``(N,)``, with a rule that a flow cannot say."""
    needs = [snapshot.fleet.needs[row] for row in snapshot.demand.need.tolist()]
    special = [n.is_gang or n.floor > 0 or any(s.is_hard for s in n.spread) for n in needs]
    return np.array(special, dtype=np.bool_)


def _by_the_rules(
    snapshot: Snapshot, allowed: Mask, demands: Ints, plain: Exchange, found: Offered
) -> Exchange:
    """Say who receives, and what donors keep: what the rules close for no other reason."""
    supply, demand = snapshot.supply, snapshot.demand
    closed = snapshot.eligible & ~allowed & ~own_shard(snapshot) & priority(snapshot)
    closed[:, ~np.isin(np.arange(len(demand)), demands)] = False
    # Demands come with the highest priority first.
    level = np.searchsorted(found.priorities, demand.priority)
    of_group = np.where(closed.any(axis=1), level[closed.argmax(axis=1)] + 1, 0)
    of_thing = np.zeros((len(plain.most_drains), len(found.eligible)), dtype=np.int64)
    np.maximum.at(of_thing, (supply.shard, found.thing), of_group)
    wanted = replace(plain.wanted, receiver=demand.shard[demands])
    return replace(plain, wanted=wanted, kept=of_thing)


def _everybody(
    snapshot: Snapshot, allowed: Mask, hopeless: Mask, weights: Mapping[Goal, float]
) -> Exchange:
    """Let a gang be split, a spread be broken and donors keep nothing; inside a shard, any gap.

    A gang that may move gains nothing by that, and loses nothing where others take its place.
    """
    demand = snapshot.demand
    movers = demand.need[demand.migrates]
    question, _ = question_of(snapshot, np.arange(len(demand)), weights, movers)
    none = hopeless | demand.migrates | ~allowed.any(axis=0)
    is_inside = set(snapshot.rules.problems) & {Problem.PACKING, Problem.VICTIMS}
    has_gangs = any(snapshot.fleet.needs[row].is_gang for row in demand.need.tolist())
    return replace(
        question,
        wanted=replace(question.wanted, short=np.where(none, 0, demand.short)),
        min_gap=1 if is_inside and has_gangs else question.min_gap,
    )
