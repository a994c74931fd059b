"""Donors: keep what their own need, and lose few at a time."""

from collections.abc import Iterator

import numpy as np

from models.audit.laws import Law
from models.audit.mixture import Holding, risky, uneven
from models.audit.names import is_active, need_name
from models.audit.transfers import Transfers
from models.audit.violation import Violation
from models.fleet import Mask
from models.machine import State
from models.rules import Rule


def donor_violations(transfers: Transfers) -> Iterator[Violation]:
    """Judge what each shard gives away."""
    yield from _keeps_own(transfers)
    yield from _blast_radius(transfers)
    limit = transfers.settings.rebalance.max_moves
    if limit is not None and len(transfers.row) > limit:
        message = f"{len(transfers.row)} machines moved, at most {limit} may be"
        yield Violation(Law.MAX_MOVES, "the plan", message)


def _keeps_own(transfers: Transfers) -> Iterator[Violation]:
    """No need of the donor lacks what is given to one that is not higher."""
    fleet = transfers.fleet
    given = transfers.source != transfers.target
    if not np.any(given):
        return
    for need in np.flatnonzero(transfers.lacking > 0).tolist():
        if not is_active(fleet, int(fleet.need_cluster[need])):
            continue
        home = fleet.shard_of_need(need)
        not_higher = transfers.priority[transfers.need] <= transfers.priority[need]
        away = given & not_higher & (transfers.source == home)
        if not np.any(away):
            continue
        wasted = transfers.machines(away) & _usable(transfers, need, home)
        if np.any(wasted):
            message = (
                f"lacks {transfers.lacking[need]}, yet {np.count_nonzero(wasted)} machines that it "
                f"could use go to a need that is no higher"
            )
            yield Violation(Rule.KEEPS_OWN, need_name(fleet, need), message)


def _usable(transfers: Transfers, need: int, shard: int) -> Mask:
    """Tell which machines the need could use were they left in its shard; shape ``(M,)``."""
    fleet, standing, settings = transfers.fleet, transfers.standing, transfers.settings
    machines, asked = fleet.machines, fleet.needs[need]
    usable: Mask = transfers.suits.machines(need) & (machines.shard == shard)
    usable &= standing.free | standing.excess | standing.victim
    if asked.priority >= settings.shortfalls.tier1:
        slow = machines.ready_seconds > settings.assign.max_wait
        usable &= ~((machines.state == State.SPECULATIVE) & slow)
    members = standing.serves == need
    risk = risky(fleet)
    if np.count_nonzero(members & risk) >= max(asked.count - asked.floor, 0):
        usable &= ~risk
    for spread in asked.spread:
        if spread.is_hard:
            usable &= ~_too_many(transfers, need, shard, spread.key, spread.max_skew)
    if asked.same is not None:
        usable &= _whole_domains(transfers, need, usable, members, asked.same)
    return usable


def _too_many(transfers: Transfers, need: int, shard: int, key: str, max_skew: int) -> Mask:
    """Tell where one more machine would exceed the skew as the shard stands; shape ``(M,)``."""
    members = transfers.standing.serves == need
    everywhere = np.ones(len(members), dtype=np.bool_)
    home = transfers.fleet.machines.shard == shard
    holding = Holding(need, everywhere, members, members, home)
    return uneven(transfers.suits, holding, key, max_skew - 1)


def _whole_domains(transfers: Transfers, need: int, usable: Mask, held: Mask, same: str) -> Mask:
    """Tell which machines are where all that the gang is missing could be had; shape ``(M,)``.

    Victims are left out: the cycle, which knows whom it may drain, found no such domain.
    """
    codes, names = transfers.fleet.cell_domains(same)
    domain = codes[transfers.fleet.machines.cell]
    at_hand = usable & (domain >= 0)
    at_hand &= transfers.standing.free | transfers.standing.excess
    enough = np.bincount(domain[at_hand], minlength=len(names)) >= transfers.standing.short[need]
    # Members outside every domain pin it to none, as in the cycle.
    held = held & (domain >= 0)
    if np.any(held):
        pinned = np.zeros(len(names), dtype=np.bool_)
        pinned[domain[held]] = True
        enough &= pinned
    whole = np.zeros(len(domain), dtype=np.bool_)
    whole[domain >= 0] = enough[domain[domain >= 0]]
    return whole


def _blast_radius(transfers: Transfers) -> Iterator[Violation]:
    """A share of the machines with a host, at least one, in each window."""
    machines = transfers.fleet.machines
    hosts = np.bincount(machines.shard[machines.hosted], minlength=len(transfers.fleet.shards))
    drained = np.column_stack([transfers.source, transfers.window])[transfers.drains]
    for (shard, window), count in zip(*np.unique(drained, axis=0, return_counts=True), strict=True):
        most = max(1, int(hosts[shard] * transfers.settings.rebalance.drain_percent // 100))
        if count > most:
            where = f"shard {transfers.fleet.shards[shard].name}, window {window}"
            message = f"{count} machines drained, at most {most} may be"
            yield Violation(Law.BLAST_RADIUS, where, message)
