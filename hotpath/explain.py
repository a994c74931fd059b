"""Why a need got what it got: what was chosen, and by how much or which rule the others lost."""

from dataclasses import dataclass

import numpy as np

from hotpath.cycle import Decided
from hotpath.ledger import Ledger
from hotpath.rules.catalogue import HARD_RULES, refusals
from models.action import Action
from models.cost import UNKNOWN_COST, effective_cost_nanos
from models.fleet import Mask
from models.machine import NOBODY, State
from models.rules import Rule
from models.shortfall import Shortfall


@dataclass(frozen=True, slots=True)
class ClassStory:
    """One class as a need sees it.

    Attributes
    ----------
    effective_cost_nanos
        Nano-USD per hour; None where the price is unknown.
    dearer_by_nanos
        By how much it loses to the cheapest matching class; None where its cost is unknown.
    chosen, left
        Machines ordered for the need in this cycle; machines that nothing keeps from it still.
    refused
        Machines by the first rule that refuses each.
    """

    class_index: int
    effective_cost_nanos: int | None
    dearer_by_nanos: int | None
    chosen: int
    left: int
    refused: dict[Rule, int]


@dataclass(frozen=True, slots=True)
class NeedStory:
    """A need after its cycle; ``refused`` counts over all machines of the shard."""

    need: int
    have: int
    waiting: int
    actions: tuple[Action, ...]
    shortfall: Shortfall | None
    refused: dict[Rule, int]
    classes: tuple[ClassStory, ...]


@dataclass(frozen=True, slots=True)
class MachineStory:
    """A machine after its shard's cycle.

    ``verdicts`` tells for each need of the shard the first rule that keeps the machine from it, or
    None where nothing does.
    """

    machine: int
    state: State
    serves: int
    is_excess: bool
    verdicts: dict[int, Rule | None]


def explain_need(decided: Decided, need: int) -> NeedStory:
    """Tell how a need (a row of the fleet's needs) stands after phases 1 and 2."""
    ledger = decided.ledger
    refused, left = refusals(ledger, need)
    actions = tuple(action for action in ledger.actions if action.need == need)
    return NeedStory(
        need=need,
        have=int(ledger.have[need]),
        waiting=int(ledger.waiting[need]),
        actions=actions,
        shortfall=next((s for s in decided.shortfalls if s.need == need), None),
        refused=_counted(refused, np.ones(len(ledger.inventory), dtype=np.bool_)),
        classes=_classes(ledger, need, actions, refused, left),
    )


def explain_machine(decided: Decided, machine: int) -> MachineStory:
    """Tell about a machine (a row of the fleet's machines) of the shard."""
    ledger = decided.ledger
    place = int(np.searchsorted(ledger.inventory.rows, machine))
    verdicts: dict[int, Rule | None] = {}
    for need in decided.walk:
        masks = ((rule, mask(ledger, need)[place]) for rule, mask in HARD_RULES.items())
        verdicts[need] = next((rule for rule, allowed in masks if not allowed), None)
    return MachineStory(
        machine=machine,
        state=State(int(ledger.inventory.machines.state[place])),
        serves=int(ledger.serves[place]) if ledger.serves[place] >= 0 else NOBODY,
        is_excess=bool(ledger.excess[place]),
        verdicts=verdicts,
    )


def _classes(
    ledger: Ledger, need: int, actions: tuple[Action, ...], refused: dict[Rule, Mask], left: Mask
) -> tuple[ClassStory, ...]:
    """Give the classes that the shard has, the cheapest for the need first."""
    fleet, class_index = ledger.inventory.fleet, ledger.inventory.machines.class_index
    costs = effective_cost_nanos(
        fleet.numbers.price_per_hour,
        fleet.numbers.interruption_probability,
        ledger.needs[need].interruption_penalty,
    )
    chosen = [int(fleet.machines.class_index[action.machine]) for action in actions]
    matching = np.unique(class_index[ledger.eligible(need)])
    cheapest = int(costs[matching].min(initial=UNKNOWN_COST))
    stories = []
    for k in sorted(
        np.unique(class_index).tolist(), key=lambda k: (k not in matching, costs[k], k)
    ):
        own, cost = class_index == k, int(costs[k])
        known = cost != UNKNOWN_COST
        stories.append(
            ClassStory(
                class_index=k,
                effective_cost_nanos=cost if known else None,
                dearer_by_nanos=max(0, cost - cheapest) if known else None,
                chosen=chosen.count(k),
                left=int(np.count_nonzero(left & own)),
                refused=_counted(refused, own),
            )
        )
    return tuple(stories)


def _counted(refused: dict[Rule, Mask], among: Mask) -> dict[Rule, int]:
    counts = {rule: int(np.count_nonzero(mask & among)) for rule, mask in refused.items()}
    return {rule: count for rule, count in counts.items() if count}
