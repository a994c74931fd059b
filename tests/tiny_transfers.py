"""Transfers so small that every way to move machines can be tried, and the rules said plainly."""

import numpy as np

from rebalancer.problems.transfer.answer import Transfer
from rebalancer.problems.transfer.exchange import Costs, Exchange, Wanted
from rebalancer.problems.transfer.moves import Moves
from rebalancer.problems.transfer.offers import NOBODY, Offers, Tier

PRIORITIES = (0, 50_000, 150_000, 160_000)


def random_question(seed: int) -> Exchange:
    """Give a handful of machines and of shortfalls, with ties, caps and rules that bind."""
    chance = np.random.default_rng(seed)
    shards, things = int(chance.integers(3, 6)), int(chance.integers(1, 4))
    levels, profiles = int(chance.integers(1, 5)), int(chance.integers(1, 4))
    sells = chance.random((shards, things, levels + 3)) < 0.6
    donor, thing, kind = np.nonzero(sells)
    some = chance.permutation(len(donor))[: int(chance.integers(0, 12))]
    tier = np.minimum(kind[some], Tier.DRAIN)
    offers = Offers(
        donor[some], thing[some], tier, kind[some] - tier + NOBODY, chance.integers(0, 3, len(some))
    )
    rows = int(chance.integers(0, 6))
    wanted = Wanted(
        chance.integers(0, chance.integers(1, shards), rows),
        chance.integers(0, profiles, rows),
        chance.integers(0, levels, rows),
        chance.integers(0, 3, rows).astype(float),
        chance.integers(0, 4, rows),
    )
    take = chance.integers(0, 9, (len(Tier), things)).astype(float)
    take[Tier.IDLE, chance.random(things) < 0.2] = np.nan
    lose = chance.integers(0, 4, levels + 1).astype(float)
    return Exchange(
        priorities=np.array(PRIORITIES[:levels]),
        eligible=chance.random((profiles, things)) < 0.7,
        offers=offers,
        wanted=wanted,
        costs=Costs(take, lose, chance.integers(0, 3, things) / 2),
        most_drains=chance.integers(0, 4, shards),
        min_gap=int(chance.choice([0, 50_000, 100_000])),
        most_moves=None if chance.random() < 0.7 else int(chance.integers(0, 5)),
        kept=None if chance.random() < 0.7 else chance.integers(0, levels + 1, (shards, things)),
    )


def is_legal(question: Exchange, offer: int, row: int) -> bool:
    """Tell whether a machine of an offer may go to a row of what is wanted."""
    offers, wanted = question.offers, question.wanted
    donor, thing = int(offers.donor[offer]), int(offers.thing[offer])
    level = int(wanted.level[row])
    if not question.eligible[wanted.profile[row], thing] or donor == wanted.receiver[row]:
        return False
    if offers.level[offer] != NOBODY:
        gap = question.priorities[level] - question.priorities[offers.level[offer]]
        if gap < max(1, question.min_gap):
            return False
    if question.kept is not None and level < question.kept[donor, thing]:
        return False
    return not any(
        wanted.receiver[own] == donor
        and wanted.short[own] > 0
        and question.eligible[wanted.profile[own], thing]
        and wanted.level[own] >= level
        for own in range(len(wanted))
    )


def broken(question: Exchange, moves: Moves) -> list[str]:
    """Name what moves break."""
    offers, wanted = question.offers, question.wanted
    faults = []
    rows = [*zip(moves.offer.tolist(), moves.wanted.tolist(), moves.count.tolist(), strict=True)]
    given = np.zeros(len(offers), dtype=int)
    got = np.zeros(len(wanted), dtype=int)
    drained = np.zeros(len(question.most_drains), dtype=int)
    for offer, row, count in rows:
        if count < 1:
            faults.append("a move of nothing")
        if not is_legal(question, offer, row):
            faults.append(f"offer {offer} may not serve {row}")
        given[offer] += count
        got[row] += count
        drained[offers.donor[offer]] += count * bool(offers.tier[offer] == Tier.DRAIN)
    if [row[:2] for row in rows] != sorted({row[:2] for row in rows}):
        faults.append("not sorted, or a pair twice")
    if (given > offers.count).any():
        faults.append("more than is offered")
    if (got > wanted.short).any():
        faults.append("more than is wanted")
    if (drained > question.most_drains).any():
        faults.append("more drained than a donor may")
    if question.most_moves is not None and given.sum() > question.most_moves:
        faults.append("more moves than allowed")
    return faults


Key = tuple[float, ...]


def key_of_one(question: Exchange, offer: int, row: int) -> Key:
    """Give what one machine adds to the objectives, in the order of their weight."""
    offers, wanted, costs = question.offers, question.wanted, question.costs
    tier, thing, level = (
        int(column[offer]) for column in (offers.tier, offers.thing, offers.level)
    )
    take = float(costs.take[tier, thing])
    serving = [
        float(level == p) - float(wanted.level[row] == p)
        for p in reversed(range(len(question.priorities)))
    ]
    cost = 0.0 if np.isnan(take) else take
    if tier == Tier.DRAIN:
        cost += float(costs.lose[level])
    cost += float(costs.risk[thing] * wanted.penalty_usd[row])
    flags = (tier == Tier.DRAIN, tier == Tier.SPECULATIVE, bool(np.isnan(take)))
    return (*serving, *map(float, flags), cost)


def best_key(question: Exchange) -> Key:
    """Try everything, machine by machine; give the objectives of the best.

    What was done so far matters only by what is still wanted, may be drained and may move; of two
    ways to the same the better stays the better, as the objectives add up.
    """
    offers = question.offers
    moves = 99 if question.most_moves is None else question.most_moves
    start = (*question.wanted.short.tolist(), *question.most_drains.tolist(), moves)
    nothing = (0.0,) * (len(question.priorities) + 4)
    best: dict[tuple[int, ...], Key] = {start: nothing}
    for offer in range(len(offers)):
        drains = offers.tier[offer] == Tier.DRAIN
        cap = len(question.wanted) + int(offers.donor[offer])
        rows = [row for row in range(len(question.wanted)) if is_legal(question, offer, row)]
        keys = [key_of_one(question, offer, row) for row in rows]
        for _ in range(int(offers.count[offer])):
            after = dict(best)
            for state, key in best.items():
                if not state[-1] or (drains and not state[cap]):
                    continue
                for row, one in zip(rows, keys, strict=True):
                    if state[row]:
                        left = [*state]
                        left[row] -= 1
                        left[cap] -= bool(drains)
                        left[-1] -= 1
                        sum_ = tuple(a + b for a, b in zip(key, one, strict=True))
                        place = tuple(left)
                        if place not in after or sum_ < after[place]:
                            after[place] = sum_
            best = after
    return min(best.values())


def key_of(answer: Transfer) -> Key:
    """Give the objectives of an answer, by its own tally."""
    told = answer.tally
    serving = (told.lost - told.gained)[::-1].tolist()
    return (*serving, told.drained, told.created, told.unpriced, told.cost_usd)
