"""Why a need got what it got: what was chosen, and by which rule or how much the others lost.

Both answers are of the moment that counts, the need's turn in the cycle; see ``hotpath.why.trace``.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hotpath.answer import Decided
from hotpath.plain.ledger import Ledger
from hotpath.plain.rules.catalogue import HARD_RULES
from hotpath.why.losing import Lost, Verdict, Way
from hotpath.why.trace import Turn, turns
from hotpath.why.verdicts import Verdicts, refused_as_it_stands, verdicts_of
from models.action import Action
from models.cost import UNKNOWN_COST
from models.fleet import Codes, Ints
from models.machine import NOBODY, State
from models.rules import Rule
from models.shortfall import Shortfall


@dataclass(frozen=True, slots=True)
class ClassStory:
    """One class as a need saw it at its turn; each machine counts once in the four last ones.

    Attributes
    ----------
    effective_cost_nanos
        Nano-USD per hour; None where the price is unknown.
    dearer_by_nanos
        Above the dearest free machine that was chosen, 0 where it is not; None where either cost is
        unknown or no free machine was chosen.
    taken
        By need, those that earlier needs had taken in this cycle. They are among the refused.
    held
        Machines that the need had before.
    chosen
        By the way they come to the need.
    refused
        By the first rule that refused each.
    lost
        By what nothing but the choice of others decided.
    """

    class_index: int
    effective_cost_nanos: int | None
    dearer_by_nanos: int | None
    taken: dict[int, int]
    held: int
    chosen: dict[Way, int]
    refused: dict[Rule, int]
    lost: dict[Lost, int]


@dataclass(frozen=True, slots=True)
class NeedStory:
    """A need after its turn; its counts are sums over the classes of the shard.

    A need that has no turn, for its cluster is silent, is told of by the books after phase 2.
    """

    need: int
    have: int
    waiting: int
    actions: tuple[Action, ...]
    shortfall: Shortfall | None
    taken: dict[int, int]
    refused: dict[Rule, int]
    lost: dict[Lost, int]
    classes: tuple[ClassStory, ...]


@dataclass(frozen=True, slots=True)
class TurnStory:
    """A machine at the turn of one need.

    ``dearer_by_nanos`` is there where the verdict is COST; ``taken_by`` is the need that had taken
    the machine earlier in this cycle, or NOBODY.
    """

    need: int
    verdict: Verdict
    dearer_by_nanos: int | None
    taken_by: int


@dataclass(frozen=True, slots=True)
class MachineStory:
    """A machine after its shard's cycle; the turns are in the order of the walk."""

    machine: int
    state: State
    serves: int
    is_excess: bool
    turns: tuple[TurnStory, ...]


def explain_need(decided: Decided, need: int) -> NeedStory:
    """Tell how a need (a row of the fleet's needs) stood at its turn and what it got."""
    books = decided.ledger
    for turn in _replay(decided, {need}):
        books, actions = turn.after, turn.after.actions[len(turn.before.actions) :]
        verdicts, taken = verdicts_of(turn), _taken_by(turn)
        break
    else:
        verdicts, taken, actions = (
            refused_as_it_stands(books, need),
            np.full(len(books.inventory), NOBODY, dtype=np.int32),
            [],
        )
    everything = np.ones(len(books.inventory), dtype=np.bool_)
    counts = verdicts.count(everything)
    return NeedStory(
        need=need,
        have=int(books.have[need]),
        waiting=int(books.waiting[need]),
        actions=tuple(actions),
        shortfall=next((s for s in decided.shortfalls if s.need == need), None),
        taken=_by_need(taken),
        refused=_of(Rule, counts),
        lost=_of(Lost, counts),
        classes=_classes(books, need, verdicts, taken),
    )


def explain_machine(decided: Decided, machine: int) -> MachineStory:
    """Tell about a machine (a row of the fleet's machines) of the shard."""
    ledger = decided.ledger
    place = int(np.searchsorted(ledger.inventory.rows, machine))
    # What does not match at all needs no replay: that is the same at any time.
    replayed = {n for n in decided.walk if ledger.can_serve(n, place) or ledger.serves[place] == n}
    told = {turn.need: _at_turn(turn, place) for turn in _replay(decided, replayed)}
    for need in decided.walk:
        if need not in replayed:
            told[need] = TurnStory(need, _mismatch(ledger, need, place), None, NOBODY)
    return MachineStory(
        machine=machine,
        state=State(int(ledger.inventory.machines.state[place])),
        serves=int(ledger.serves[place]) if ledger.serves[place] >= 0 else NOBODY,
        is_excess=bool(ledger.excess[place]),
        turns=tuple(told[need] for need in decided.walk),
    )


def _replay(decided: Decided, needs: Container[int]) -> Iterator[Turn]:
    ledger = decided.ledger
    return turns(ledger.inventory, decided.memory, ledger.settings, ledger.now, needs)


def _at_turn(turn: Turn, place: int) -> TurnStory:
    verdicts = verdicts_of(turn)
    verdict, cost = verdicts.at(place), int(_costs(turn.before, turn.need)[place])
    dearer = _above(cost, verdicts.dearest_nanos) if verdict is Lost.COST else None
    return TurnStory(turn.need, verdict, dearer, int(_taken_by(turn)[place]))


def _mismatch(ledger: Ledger, need: int, place: int) -> Rule:
    return Rule.FITS if HARD_RULES[Rule.MATCHES](ledger, need)[place] else Rule.MATCHES


def _taken_by(turn: Turn) -> Codes:
    """Give the need that had taken each machine, ``(m,)``, earlier in this cycle, or NOBODY."""
    before = turn.before
    has = before.held | before.draining
    new = has & (before.serves != turn.opened) & (before.serves != turn.need)
    taken: Codes = np.where(new, before.serves, NOBODY)
    return taken


def _costs(ledger: Ledger, need: int) -> Ints:
    """Give each machine's effective cost for the need, ``(m,)`` nano-USD an hour."""
    costs = ledger.matching.costs(ledger.needs[need])
    each: Ints = costs[ledger.inventory.machines.class_index]
    return each


def _above(cost_nanos: int, dearest_nanos: int | None) -> int | None:
    if dearest_nanos is None or cost_nanos == UNKNOWN_COST:
        return None
    return max(0, cost_nanos - dearest_nanos)


def _classes(ledger: Ledger, need: int, verdicts: Verdicts, taken: Codes) -> tuple[ClassStory, ...]:
    """Give the classes that the shard has, those that match and are cheapest for the need first."""
    class_index = ledger.inventory.machines.class_index
    costs = ledger.matching.costs(ledger.needs[need])
    matching = set(class_index[ledger.eligible(need)].tolist())
    stories = []
    for k in sorted(set(class_index.tolist()), key=lambda k: (k not in matching, costs[k], k)):
        own, cost = class_index == k, int(costs[k])
        counts = verdicts.count(own)
        stories.append(
            ClassStory(
                class_index=k,
                effective_cost_nanos=cost if cost != UNKNOWN_COST else None,
                dearer_by_nanos=_above(cost, verdicts.dearest_nanos),
                taken=_by_need(taken[own]),
                held=counts.pop(Way.HELD, 0),
                chosen=_of(Way, counts),
                refused=_of(Rule, counts),
                lost=_of(Lost, counts),
            )
        )
    return tuple(stories)


_Kind = TypeVar("_Kind", Way, Rule, Lost)


def _of(kind: type[_Kind], counts: Mapping[Verdict, int]) -> dict[_Kind, int]:
    """Give the counts of one kind of verdict, in its order."""
    return {verdict: counts[verdict] for verdict in kind if verdict in counts}


def _by_need(taken: Codes) -> dict[int, int]:
    needs, counts = np.unique(taken[taken != NOBODY], return_counts=True)
    return dict(zip(needs.tolist(), counts.tolist(), strict=True))
