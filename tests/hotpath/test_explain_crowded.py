"""Explain on crowded fleets: every story fits what the cycle did, machine by machine."""

import numpy as np
import pytest
from oracle.crowd import crowded

from hotpath.cycle import decide
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from hotpath.why.explain import explain_machine, explain_need
from hotpath.why.keys import free_keys
from hotpath.why.losing import Lost, Way
from hotpath.why.trace import turns
from hotpath.why.verdicts import verdicts_of
from models.action import Verb
from models.columns import fleet_of
from models.rules import Rule
from models.settings import Settings

SEEDS, CHUNKS = 60, 4

VERBS = {
    Way.READY: Verb.CONFIGURE,
    Way.IDLE: Verb.CONFIGURE,
    Way.SPECULATIVE: Verb.CREATE,
    Way.EXCESS: Verb.DRAIN,
    Way.VICTIM: Verb.DRAIN,
}
"""What is ordered for each way; the others need no order."""

STATIC = {Lost.IDLE_FIRST, Lost.RESERVED, Lost.SCARCE, Lost.LATE, Lost.UNPRICED, Lost.DECADE}
STATIC |= {Lost.COST, Lost.RISK, Lost.PRICE, Lost.ZONE, Lost.CLASS, Lost.ID}


def check(rows) -> None:
    decided = decide(inventory_of(fleet_of(rows), 0), Memory(), Settings(), 0.0)
    ledger = decided.ledger
    orders = {(a.machine, a.need): a.verb for a in (*ledger.actions, *decided.shadowed)}
    told = {}
    for turn in turns(ledger.inventory, Memory(), Settings(), 0.0, decided.walk):
        verdicts = verdicts_of(turn)
        assert not verdicts.open.any()
        for place, row in enumerate(ledger.inventory.rows.tolist()):
            verdict = told[row, turn.need] = verdicts.at(place)
            verb = VERBS.get(verdict) if isinstance(verdict, Way) else None
            assert orders.get((row, turn.need)) == verb
        no_loser_comes_before_a_chosen_one(turn, verdicts)
        no_verdict_is_out_of_place(turn, verdicts)
    for row in ledger.inventory.rows[[0, -1]].tolist():
        for at in explain_machine(decided, row).turns:
            assert at.verdict == told[row, at.need]
    for need in decided.walk:
        story = explain_need(decided, need)
        assert {(a.machine, a.need): a.verb for a in story.actions} == {
            order: verb for order, verb in orders.items() if order[1] == need
        }
        counts = [
            each.held + sum(sum(c.values()) for c in (each.chosen, each.refused, each.lost))
            for each in story.classes
        ]
        assert sum(counts) == len(ledger.inventory)


def no_loser_comes_before_a_chosen_one(turn, verdicts) -> None:
    """By the order's own keys; what a domain or a spot place decides says so."""
    machines = np.arange(len(verdicts.codes))
    said = [verdicts.at(place) for place in machines.tolist()]
    keys = free_keys(turn.before, turn.need, machines)
    place = {m: tuple(column[m] for _, column in keys.columns) for m in machines.tolist()}
    chosen = [place[m] for m in place if said[m] in (Way.IDLE, Way.SPECULATIVE)]
    free = turn.before.idle | turn.before.speculative
    lost = [place[m] for m in place if said[m] in STATIC and free[m] and chosen]
    assert not lost or max(chosen) < min(lost)


def no_verdict_is_out_of_place(turn, verdicts) -> None:
    """What only some needs know is said of no other."""
    need, inventory = turn.before.needs[turn.need], turn.before.inventory
    said = set(verdicts.count(np.ones(len(inventory), dtype=np.bool_)))
    spots = inventory.fleet.numbers.is_spot[inventory.machines.class_index]
    assert need.spread or not said & {Rule.SPREAD, Lost.EMPTIER}
    assert need.is_gang or not said & {Rule.DOMAIN, Lost.GANG, Lost.OTHER_DOMAIN}
    assert need.floor or Rule.FLOOR not in said
    assert spots.any() or not said & {Rule.SPOT_SHARE, Lost.DIVERSITY}
    assert turn.before.missing(turn.need) or not said & set(Lost) - {Lost.FULL}


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_story_fits_the_cycle(chunk):
    for seed in range(chunk * SEEDS, (chunk + 1) * SEEDS):
        try:
            check(crowded(seed))
        except AssertionError as error:
            error.add_note(f"The fleet is crowded({seed}).")
            raise
