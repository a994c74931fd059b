"""What became of each machine at a need's turn: chosen, refused by a rule, or lost, and by what."""

from dataclasses import dataclass
from functools import reduce

import numpy as np

from hotpath.plain.assign import spares_of
from hotpath.plain.ledger import Ledger
from hotpath.plain.purse import purse_of
from hotpath.plain.rules.catalogue import refusals
from hotpath.plain.rules.domain import gang_domains
from hotpath.plain.rules.floor import above_floor
from hotpath.plain.rules.priority import gives_way
from hotpath.plain.rules.spread import keeps_skew
from hotpath.plain.spread import skew_of
from hotpath.why.keys import Keys, free_keys, victim_keys
from hotpath.why.losing import VERDICTS, Lost, Verdict, Way
from hotpath.why.trace import Turn
from models.cost import UNKNOWN_COST
from models.fleet import Codes, Ints, Mask
from models.machine import NOBODY, State
from models.rules import Rule

_CODES = {verdict: code for code, verdict in enumerate(VERDICTS)}
_UNSAID = -1

_OF_ONE_MORE = frozenset({Rule.SPREAD, Rule.FLOOR})
"""Rules whose answers change within a turn, with each machine that the need takes."""


@dataclass(eq=False, slots=True)
class Verdicts:
    """One verdict for each machine of the shard; the first that is said stays.

    ``codes``, ``(m,)``, are places in ``VERDICTS``. ``dearest_nanos`` is the highest known
    effective cost of a free machine that was chosen, nano-USD an hour; None without any.
    """

    codes: Codes
    dearest_nanos: int | None = None

    def say(self, verdict: Verdict, where: Mask | Ints) -> None:
        """Give a verdict on those of some machines that have none yet."""
        mask = np.zeros(len(self.codes), dtype=np.bool_)
        mask[where] = True
        self.codes[mask & self.open] = _CODES[verdict]

    @property
    def open(self) -> Mask:
        """Mark the machines without a verdict."""
        mask: Mask = self.codes == _UNSAID
        return mask

    def at(self, machine: int) -> Verdict:
        """Give the verdict on one machine."""
        return VERDICTS[int(self.codes[machine])]

    def count(self, among: Mask) -> dict[Verdict, int]:
        """Count the verdicts on some machines."""
        codes, counts = np.unique(self.codes[among], return_counts=True)
        pairs = zip(codes.tolist(), counts.tolist(), strict=True)
        return {VERDICTS[code]: count for code, count in pairs}


def refused_as_it_stands(ledger: Ledger, need: int) -> Verdicts:
    """Give the verdicts for a need that has no turn: nothing is chosen for it, nothing lost."""
    verdicts = Verdicts(np.full(len(ledger.inventory), _UNSAID, dtype=np.int32))
    verdicts.say(Way.HELD, _has(ledger, need))
    _refuse_at_first(verdicts, ledger, need)
    verdicts.say(Lost.SILENT, verdicts.open)
    return verdicts


def verdicts_of(turn: Turn) -> Verdicts:
    """Give the verdict on each machine of the shard.

    Rules refuse as of the moment the turn came; what they then let pass may still be refused by
    SPREAD, FLOOR or SPOT_SHARE once others were taken. What is left lost, to the last chosen one.
    """
    need, before, after = turn.need, turn.before, turn.after
    ways, ready = _ways(before, need), _ready(before, need)
    gained = (_has(after, need) & ~_has(before, need)) | ready
    verdicts = Verdicts(np.full(len(before.inventory), _UNSAID, dtype=np.int32))
    verdicts.say(Way.HELD, _has(before, need) & ~ready)
    for way, mask in ways.items():
        verdicts.say(way, mask & gained)
    _refuse_at_first(verdicts, before, need, ~ways[Way.STEPS_IN])
    if not before.missing(need):
        verdicts.say(Lost.FULL, verdicts.open)
    # A machine that nothing refuses and no way leads to is what tier 1 does not wait for.
    verdicts.say(Lost.TOO_LATE, ~reduce(np.logical_or, ways.values()))
    verdicts.say(Lost.GIVEN_BACK, ways[Way.STEPS_IN])
    if before.needs[need].is_gang:
        verdicts.say(Lost.GANG, verdicts.open & (after.missing(need) > 0))
        verdicts.say(Lost.OTHER_DOMAIN, ~_in_its_domain(after, need))
    free = ways[Way.IDLE] | ways[Way.SPECULATIVE]
    taken = ways[Way.DRAINING] | ways[Way.EXCESS] | ways[Way.VICTIM]
    _judge_free(verdicts, turn, free, free & gained, bool((taken & gained).any()))
    _judge_taken(verdicts, turn, taken, taken & gained)
    return verdicts


def _refuse_at_first(
    verdicts: Verdicts, ledger: Ledger, need: int, among: Mask | bool = True
) -> None:
    """Say which rule is the first to refuse, as the books stand."""
    for rule, mask in refusals(ledger, need)[0].items():
        # Whether one machine more were one too many is no question to a need that wants none.
        if ledger.missing(need) or rule not in _OF_ONE_MORE:
            verdicts.say(rule, mask & among)


def _has(ledger: Ledger, need: int) -> Mask:
    """Mark what counts for the need or drains for it."""
    mask: Mask = (ledger.serves == need) & (ledger.held | ledger.draining)
    return mask


def _ready(ledger: Ledger, need: int) -> Mask:
    mask: Mask = ledger.idle & ledger.held & (ledger.serves == need)
    return mask


def _in_its_domain(ledger: Ledger, need: int) -> Mask:
    """Mark the machines in the domain of a gang that has machines; all for any other need."""
    if not ledger.needs[need].is_gang:
        return np.ones(len(ledger.inventory), dtype=np.bool_)
    mask: Mask = gang_domains(ledger, need) >= 0
    return mask


def _ways(ledger: Ledger, need: int) -> dict[Way, Mask]:
    """Mark the machines that could come to the need each way; rules aside, none by two ways."""
    eligible = ledger.eligible(need)
    spares = np.zeros(len(eligible), dtype=np.bool_)
    spares[spares_of(ledger, need)] = True
    excess = ledger.excess | (ledger.serves == NOBODY)
    leaving = (ledger.serves == NOBODY) | ledger.is_lower(ledger.serves, need)
    drainable = eligible & ledger.movable() & gives_way(ledger, need) & ~spares
    return {
        Way.READY: _ready(ledger, need),
        Way.STEPS_IN: spares,
        Way.IDLE: eligible & ledger.idle_for(need),
        Way.SPECULATIVE: eligible & ledger.speculative_for(need),
        Way.DRAINING: eligible & ledger.draining & leaving,
        Way.EXCESS: drainable & excess,
        Way.VICTIM: drainable & ~excess,
    }


def _judge_free(verdicts: Verdicts, turn: Turn, free: Mask, chosen: Mask, took: bool) -> None:
    """Say what the free machines that are left lost by; ``took``: phase 2 took something."""
    before, after, need = turn.before, turn.after, turn.need
    losers = free & verdicts.open
    if took or after.missing(need):
        # Phase 1 left the need short: at its end there was no free machine that a rule let pass.
        _refuse_all(verdicts, turn, losers)
    elif not chosen.any():
        verdicts.say(Lost.OWN_FIRST, losers)
    else:
        costs = before.matching.costs(before.needs[need])
        costs = costs[before.inventory.machines.class_index[chosen]]
        known = costs[costs != UNKNOWN_COST]
        verdicts.dearest_nanos = int(known.max()) if len(known) else None
        keys = free_keys(before, need, _rows(losers | chosen))
        overtaken = np.concatenate([*_compare(verdicts, keys, chosen).values()])
        _refuse(verdicts, turn, overtaken)
        verdicts.say(Rule.SPOT_SHARE, overtaken[_has_share(after, need, overtaken)])
        verdicts.say(Lost.EMPTIER if before.needs[need].spread else Lost.DIVERSITY, overtaken)


def _judge_taken(verdicts: Verdicts, turn: Turn, taken: Mask, chosen: Mask) -> None:
    """Say what the machines lost by that phase 2 could have taken."""
    before, after, need = turn.before, turn.after, turn.need
    losers, short = taken & verdicts.open, after.missing(need) > 0
    if short and after.created[need]:
        verdicts.say(Lost.CREATES_FIRST, losers)
    elif short:
        _refuse_all(verdicts, turn, losers)
    elif not chosen.any():
        verdicts.say(Lost.FREE_FIRST, losers)
    else:
        # As they were weighed: all of them, or for a gang those of its domain.
        weighed = _rows(taken & _in_its_domain(after, need))
        overtaken = _compare(verdicts, victim_keys(before, need, weighed), chosen)
        for key, machines in overtaken.items():
            # Only the toll sets aside the last key; what precedes it only the limits of the need.
            if key is not Lost.TOLL:
                _refuse_all(verdicts, turn, machines)
            verdicts.say(Lost.TOLL, machines)


def _rows(mask: Mask) -> Ints:
    return np.flatnonzero(mask)


def _compare(verdicts: Verdicts, keys: Keys, chosen: Mask) -> dict[Lost, Ints]:
    """Say of what comes after the last chosen one by which key; give what comes before it."""
    later, earlier = keys.against_last(chosen[keys.machines])
    for key, machines in later.items():
        verdicts.say(key, machines)
    return earlier


def _refuse(verdicts: Verdicts, turn: Turn, where: Mask | Ints) -> None:
    """Say where a rule refuses one machine more at the end of the turn."""
    after, need = turn.after, turn.need
    mask = np.zeros(len(verdicts.codes), dtype=np.bool_)
    mask[where] = True
    verdicts.say(Rule.SPREAD, mask & ~keeps_skew(after, need))
    if after.needs[need].floor:
        verdicts.say(Rule.FLOOR, mask & ~above_floor(after, need))


def _refuse_all(verdicts: Verdicts, turn: Turn, where: Mask | Ints) -> None:
    """Say which rule refused; the skew may have for a while, and allow at the end."""
    _refuse(verdicts, turn, where)
    verdicts.say(Rule.SPREAD, where)


def _has_share(ledger: Ledger, need: int, machines: Ints) -> Mask:
    """Mark the spot machines whose (class, zone) holds the need's share of spot by now."""
    purse = purse_of(ledger, need, skew_of(ledger, need))
    of_need = purse.spot_of_need()
    is_spot = ledger.inventory.fleet.numbers.is_spot[
        ledger.inventory.machines.class_index[machines]
    ]
    places = ledger.class_zones(machines)
    full = np.array([of_need[place] >= purse.spot_cap for place in places], dtype=np.bool_)
    mask: Mask = full & is_spot & ledger.inventory.has_state(State.SPECULATIVE)[machines]
    return mask
