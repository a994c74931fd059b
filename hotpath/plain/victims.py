"""Choose victims: excess first, then the lowest need, the best score, the worst-hit cluster."""

from dataclasses import dataclass

import numpy as np

from hotpath.plain.ledger import Ledger
from hotpath.plain.purse import Purse
from hotpath.plain.score import Victims
from models.fleet import Ints, Mask
from models.machine import NOBODY


@dataclass(eq=False, slots=True)
class Toll:
    """What has been taken so far in this cycle: it decides between victims that score alike.

    Attributes
    ----------
    given
        Shape of the clusters. Machines taken from each.
    broken
        Gangs that have lost a member: losing another costs no further interruption.
    """

    given: Ints
    broken: set[int]


def toll_of(ledger: Ledger) -> Toll:
    """Give the toll so far."""
    lost = np.flatnonzero(ledger.lost).tolist()
    return Toll(ledger.given.copy(), {n for n in lost if ledger.needs[n].is_gang})


def select(
    ledger: Ledger, victims: Victims, wanted: int, *, by_score: bool, purse: Purse
) -> Victims:
    """Take up to ``wanted`` victims in their order, as the preemptor's spread and floor allow.

    Excess first; then priority ascending (``by_score``: not at all), then score; then a gang that
    has lost a member already, then the cluster that gives most already, then the id.
    """
    ids = ledger.inventory.machines.id_rank[victims.machines]
    rank = np.zeros(len(victims), dtype=np.int64) if by_score else victims.priority
    sorted_ = victims.take(np.lexsort((ids, -victims.score, rank, ~victims.is_excess)))
    block = _blocks(sorted_, by_score)
    if purse.skew.constraints or purse.risky_left < wanted:
        return sorted_.take(_one_by_one(ledger, sorted_, block, wanted, purse))
    return sorted_.take(_in_bulk(ledger, sorted_, block, wanted))


def _blocks(victims: Victims, by_score: bool) -> Ints:
    """Number the runs of victims that only toll and id tell apart."""
    columns = [victims.is_excess.astype(np.int64), victims.score]
    if not by_score:
        columns.append(victims.priority)
    changes = np.zeros(len(victims), dtype=np.bool_)
    for column in columns:
        changes[1:] |= column[1:] != column[:-1]
    return np.cumsum(changes)


def _in_bulk(ledger: Ledger, victims: Victims, block: Ints, wanted: int) -> Ints:
    """Take whole blocks while they are wanted whole, and the rest of the next one by toll."""
    wanted = min(wanted, len(victims))
    if not wanted:
        return np.zeros(0, dtype=np.int64)
    boundary = block[wanted - 1]
    whole = np.flatnonzero(block < boundary)
    toll = toll_of(ledger)
    for row in whole.tolist():
        _charge(ledger, victims, row, toll)
    rest = np.flatnonzero(block == boundary).tolist()
    return np.array(
        [*whole.tolist(), *_by_toll(ledger, victims, rest, wanted - len(whole), toll)],
        dtype=np.int64,
    )


def _by_toll(
    ledger: Ledger, victims: Victims, rows: list[int], wanted: int, toll: Toll
) -> list[int]:
    """Take ``wanted`` of the rows, which come by id, one cluster after the other."""
    cluster = ledger.inventory.machines.cluster
    queues: dict[int, dict[int, list[int]]] = {}
    for row in reversed(rows):
        of_cluster = queues.setdefault(int(cluster[victims.machines[row]]), {})
        of_cluster.setdefault(_gang(ledger, victims, row), []).append(row)
    chosen: list[int] = []
    while len(chosen) < wanted:
        owner = min(
            queues,
            key=lambda c: (toll.broken.isdisjoint(queues[c]), -toll.given[c], _next(queues[c])[0]),
        )
        of_cluster = queues[owner]
        broken = {gang: queue for gang, queue in of_cluster.items() if gang in toll.broken}
        row, gang = _next(broken or of_cluster)
        of_cluster[gang].pop()
        if not of_cluster[gang]:
            del of_cluster[gang]
        if not of_cluster:
            del queues[owner]
        chosen.append(row)
        _charge(ledger, victims, row, toll)
    return chosen


def _next(queues: dict[int, list[int]]) -> tuple[int, int]:
    """Give the lowest row at the end of any queue, and whose queue it is."""
    return min((queue[-1], gang) for gang, queue in queues.items())


def _one_by_one(ledger: Ledger, victims: Victims, block: Ints, wanted: int, purse: Purse) -> Ints:
    """Take the first that is allowed, again and again, since each one changes what is allowed."""
    columns, numbers = ledger.inventory.machines, ledger.inventory.fleet.numbers
    risky = numbers.interruption_probability[columns.class_index[victims.machines]] > 0
    cell = columns.cell[victims.machines]
    domains = [purse.skew.place(c) for c in cell]
    left, toll = np.ones(len(victims), dtype=np.bool_), toll_of(ledger)
    chosen: list[int] = []
    while len(chosen) < wanted:
        allowed = _allowed(left, risky, domains, purse)
        if not allowed.any():
            break
        first = np.flatnonzero(allowed)
        alike = first[block[first] == block[first[0]]].tolist()
        row = _by_toll(ledger, victims, alike, 1, toll)[0]
        chosen.append(row)
        left[row] = False
        purse.skew.add(domains[row], 1)
        purse.risky_left -= int(risky[row])
    return np.array(chosen, dtype=np.int64)


def _allowed(left: Mask, risky: Mask, domains: list[tuple[int, ...]], purse: Purse) -> Mask:
    answers = {domain: purse.skew.allows(domain) for domain in set(domains)}
    even = np.fromiter((answers[domain] for domain in domains), np.bool_, len(domains))
    return left & even & (~risky if purse.risky_left <= 0 else True)


def _gang(ledger: Ledger, victims: Victims, row: int) -> int:
    """Give the gang that a victim is a member of, or NOBODY."""
    need = int(victims.need[row])
    is_member = not victims.is_excess[row] and need != NOBODY and ledger.needs[need].is_gang
    return need if is_member else NOBODY


def _charge(ledger: Ledger, victims: Victims, row: int, toll: Toll) -> None:
    toll.given[ledger.inventory.machines.cluster[victims.machines[row]]] += 1
    gang = _gang(ledger, victims, row)
    if gang != NOBODY:
        toll.broken.add(gang)


def damage_usd(ledger: Ledger, victims: Victims) -> float:
    """Give what an eviction costs: interruptions, a gang's once, and each machine's reclamation."""
    needs, own = ledger.needs, ledger.inventory.machines.reclamation_penalty
    hit, total = set(np.flatnonzero(ledger.lost).tolist()), 0.0
    for machine, need, excess in zip(
        victims.machines.tolist(), victims.need.tolist(), victims.is_excess.tolist(), strict=True
    ):
        if excess:
            continue
        if not (needs[need].is_gang and need in hit):
            total += needs[need].interruption_penalty
        hit.add(need)
        total += max(float(own[machine]), needs[need].reclamation_penalty)
    return total
