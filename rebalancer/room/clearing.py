"""The cheapest clearing: whom to drain so that a gang of N has room in one domain of one shard.

For each domain d of a shard, with n - f_d machines still missing beside its free ones, by

    minimise    sum over plain victims m of (i_w(m) + r_m) + sum over gangs w of (i_w [k_w > 0] + r)
    subject to  as many machines drained as are missing

where i_w is the interruption penalty of the need that loses a machine, a gang's once however many
it loses, and r_m what is lost with the machine, see ``reclamation``. Excess machines cost nothing.
Exact, by dynamic programming over the gangs: the cheapest j machines of the plain victims are a
prefix sum; each gang w is merged in by f'[j] = min over k of f[j - k] + g_w[k]. A domain that costs
more than the best found even without the gangs' penalties is not looked at.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from models.cost import DEAREST_USD
from models.distinct import places_of
from models.fleet import Ints, Mask, Reals
from models.machine import State
from models.need import Need
from models.standing import Standing
from rebalancer.reclamation import reclamation_usd


@dataclass(frozen=True, slots=True)
class Clearing:
    """Machines to drain so that a gang has room.

    Attributes
    ----------
    domain
        Its path of names from the top level down.
    shard
        Row in the fleet's shards.
    idle, new
        Machines there that are free already, and speculative ones that could be bought.
    machines
        Rows to drain, ascending.
    loses
        Machines that each need loses, by its row.
    damage_usd
        Interruption and reclamation penalties in all.
    """

    domain: str
    shard: int
    idle: int
    new: int
    machines: tuple[int, ...]
    loses: Mapping[int, int]
    damage_usd: float


@dataclass(frozen=True, eq=False, slots=True)
class _Site:
    """One domain of one shard: what is missing there, and what could be drained, by row.

    ``usd`` is what each of these costs at least, ``bound`` what the missing ones do.
    """

    at: int
    idle: int
    new: int
    missing: int
    drainable: Ints
    usd: Reals
    bound: float


@dataclass(frozen=True, eq=False, slots=True)
class _Cleared:
    """A site with the rows that are drained there, and what that costs."""

    site: _Site
    drained: Ints
    usd: float

    @property
    def order(self) -> tuple[float, int, int]:
        """Give what makes one the best: the least damage, the fewest drained, the first site."""
        return self.usd, len(self.drained), self.site.at


def cheapest_clearing(
    standing: Standing, level: str, size: int, cells: Mask, priority: int
) -> Clearing | None:
    """Find where ``size`` machines of ``cells``, ``(C,)``, could stand together at least damage.

    Only machines that serve needs below ``priority`` are drained. Ties: fewer drained, then the
    shard, then the domain's path. None where no domain of any shard could hold so many.
    """
    fleet, machines = standing.fleet, standing.fleet.machines
    domains, names = fleet.cell_domains(level)
    place = domains[machines.cell].astype(np.int64)
    # One more entry for "no need", which the code -1 finds.
    below = np.array([need.priority < priority for need in fleet.needs] + [False], dtype=np.bool_)
    drainable = standing.excess | (standing.victim & below[standing.serves])
    rows = np.flatnonzero(cells[machines.cell] & (place >= 0) & (standing.free | drainable))
    site = machines.shard[rows].astype(np.int64) * len(names) + place[rows]
    usd = _least_usd(standing, rows)
    sites = [
        _site(standing, at, size, rows[places], usd[places])
        for at, places in places_of(site).items()
    ]
    best: _Cleared | None = None
    for each in sorted(sites, key=lambda each: (each.bound, each.at)):
        if each.missing > len(each.drainable) or (best is not None and each.bound > best.usd):
            continue
        found = _cheapest(standing, each)
        if best is None or found.order < best.order:
            best = found
    if best is None:
        return None
    shard, domain = divmod(best.site.at, len(names))
    loses = standing.serves[best.drained]
    return Clearing(
        names[domain],
        shard,
        best.site.idle,
        best.site.new,
        tuple(best.drained.tolist()),
        {need: len(places) for need, places in places_of(loses[loses >= 0]).items()},
        best.usd,
    )


def _site(standing: Standing, at: int, size: int, rows: Ints, usd: Reals) -> _Site:
    free = standing.free[rows]
    count = int(np.count_nonzero(free))
    idle = int(np.count_nonzero(free & (standing.fleet.machines.state[rows] == State.IDLE)))
    missing, usd = max(size - count, 0), usd[~free]
    bound = float(np.sort(usd)[:missing].sum())
    return _Site(at, idle, count - idle, missing, rows[~free], usd, bound)


def _least_usd(standing: Standing, rows: Ints) -> Reals:
    """Give what draining each machine costs at least, ``(R,)``: a gang may be broken already."""
    needs, serves = standing.fleet.needs, standing.serves[rows]
    plain = np.array([*(0.0 if need.is_gang else _interruption(need) for need in needs), 0.0])
    usd: Reals = reclamation_usd(standing, rows) + np.where(serves >= 0, plain[serves], 0.0)
    return usd


def _interruption(need: Need) -> float:
    return min(need.interruption_penalty, DEAREST_USD)


def _cheapest(standing: Standing, site: _Site) -> _Cleared:
    """Choose which machines of a site to drain, the lower row of two that cost the same."""
    order = np.lexsort((site.drainable, site.usd))
    rows, usd = site.drainable[order], site.usd[order]
    serves = standing.serves[rows]
    gangs = [need for need in np.unique(serves[serves >= 0]).tolist() if _is_gang(standing, need)]
    plain = ~np.isin(serves, gangs)
    least = _prefix(usd[plain], site.missing)
    chosen: list[Ints] = []
    for need in gangs:
        cost = _prefix(usd[serves == need], site.missing)
        cost[1:] += _interruption(standing.fleet.needs[need])
        least, takes = _merged(least, cost)
        chosen.append(takes)
    left, drained = site.missing, []
    for need, takes in zip(reversed(gangs), reversed(chosen), strict=True):
        drained.append(rows[serves == need][: takes[left]])
        left -= int(takes[left])
    drained.append(rows[plain][:left])
    return _Cleared(site, np.sort(np.concatenate(drained)), float(least[site.missing]))


def _is_gang(standing: Standing, need: int) -> bool:
    return standing.fleet.needs[need].is_gang


def _prefix(usd: Reals, most: int) -> Reals:
    """Give what the cheapest 0, 1, ... ``most`` cost, infinite beyond what there are."""
    sums = np.full(most + 1, np.inf)
    some = usd[:most]
    sums[0] = 0.0
    sums[1 : len(some) + 1] = np.cumsum(some)
    return sums


def _merged(least: Reals, cost: Reals) -> tuple[Reals, Ints]:
    """Let a gang take part: the least cost of each count, and how many the gang then gives."""
    best, takes = least.copy(), np.zeros(len(least), dtype=np.int64)
    for k in range(1, len(cost)):
        if np.isinf(cost[k]):
            break
        other = np.full(len(least), np.inf)
        other[k:] = least[: len(least) - k] + cost[k]
        is_less = other < best
        best[is_less], takes[is_less] = other[is_less], k
    return best, takes
