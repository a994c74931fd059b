"""The exact answer for a small fleet: which machine ends with which need, by CP-SAT.

Machines alike in cell, state, owner and penalty are one supply; ``x[s, n]`` counts machines of
supply ``s`` that end with need ``n``. The rules are SPEC's: eligibility, priority (only what serves
a strictly lower need is taken), floor, spread, a gang in one domain whole or not at all. Machines
of a cluster are dealt anew to its own needs, which drains nothing.

Written for the fleets of ``benchmarks.random_fleets``: a need that floors, spreads or is a gang
holds nothing at first, and what a cluster in a full fleet holds serves its one need.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from hotpath.matching import Matching
from models.fleet import Codes, Fleet
from models.machine import NOBODY, State
from models.need import Need

WORK = 4.0
"""For each solve, in the solver's own measure, near seconds: what is not proven then is open."""


@dataclass(frozen=True, slots=True)
class Supply:
    """Machines alike: ``serves`` and ``cluster`` are -1 for nobody's; all cells of one class."""

    cell: int
    class_index: int
    state: State
    cluster: int
    serves: int
    penalty: int
    pinned: bool


@dataclass(frozen=True, slots=True)
class Targets:
    """What an exact answer must keep; None keeps nothing."""

    per_need: Sequence[int] | None = None
    per_level: Sequence[tuple[int, int]] = ()
    creates: int | None = None
    evictions: int | None = None


class Unreachable(Exception):
    """No end that keeps every rule keeps the targets too."""


def supplies_of(fleet: Fleet) -> dict[Supply, int]:
    """Count the machines that are alike."""
    columns = fleet.machines
    states = list(State)
    return Counter(
        Supply(
            int(columns.cell[row]),
            int(columns.class_index[row]),
            states[columns.state[row]],
            int(columns.cluster[row]),
            int(columns.serves[row]),
            int(columns.reclamation_penalty[row]),
            bool(columns.pinned[row]),
        )
        for row in range(len(columns))
    )


class Exact:
    """The model of one fleet; ``solved`` is False once any solve was not proven optimal."""

    def __init__(self, fleet: Fleet, targets: Targets | None = None) -> None:
        self.fleet = fleet
        self.solved = True
        self._supply = supplies_of(fleet)
        self._matching = Matching(fleet, ())
        self._model = cp_model.CpModel()
        self._lanes: dict[tuple[Supply, int], cp_model.IntVar] = {}
        self._add_lanes()
        for n, need in enumerate(fleet.needs):
            self._add_rules(n, need)
        self._keep(targets or Targets())

    def levels(self) -> tuple[tuple[int, int], ...]:
        """Give the most machines served at each priority, the highest before the next."""
        found = []
        for priority in sorted({need.priority for need in self.fleet.needs}, reverse=True):
            served = self._level(priority)
            most = -self._least(-served)
            self._model.add(served == most)
            found.append((priority, most))
        return tuple(found)

    def least_creates(self) -> int:
        """Give the fewest speculative machines."""
        return self._least(self._sum(self._is_create))

    def least_cost_nanos(self) -> int:
        """Give the least effective cost of what was free, nano-USD an hour."""
        return self._least(self._weighed(self._cost_nanos))

    def least_evictions(self) -> int:
        """Give the fewest machines taken from needs."""
        return self._least(self._sum(self._is_eviction))

    def least_damage_usd(self) -> int:
        """Give the least damage: interruption and reclamation penalties of what is evicted."""
        return self._least(self._weighed(self._damage_usd))

    def _least(self, expression: cp_model.LinearExprT) -> int:
        self._model.minimize(expression)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.max_deterministic_time = WORK
        solver.parameters.linearization_level = 2
        status = solver.solve(self._model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            raise Unreachable(f"the exact model ended as {solver.status_name(status)}.")
        self.solved &= status == cp_model.OPTIMAL
        return round(solver.objective_value)

    def _add_lanes(self) -> None:
        for supply, size in self._supply.items():
            lanes = []
            for n in range(len(self.fleet.needs)):
                if self._may_have(supply, n):
                    lanes.append(self._model.new_int_var(0, size, ""))
                    self._lanes[supply, n] = lanes[-1]
            if lanes:
                self._model.add(sum(lanes) <= size)

    def _may_have(self, supply: Supply, n: int) -> bool:
        needs = self.fleet.needs
        if not self._matching.eligible(needs[n])[supply.cell]:
            return False
        if supply.cluster == NOBODY or supply.cluster == self.fleet.need_cluster[n]:
            return True
        if supply.pinned:
            return False
        return supply.serves == NOBODY or needs[supply.serves].priority < needs[n].priority

    def _add_rules(self, n: int, need: Need) -> None:
        self._model.add(self._served(n) <= need.count)
        if need.floor:
            self._model.add(self._risky(n) <= need.count - need.floor)
        for spread in need.spread:
            # A domain that holds any machine that matches counts, were it never so taken.
            totals = self._by_domain(n, need, self._matching.values(spread.key)).values()
            for total in totals:
                for other in totals:
                    self._model.add(total <= other + spread.max_skew)
        if need.same is not None:
            self._add_gang(n, need, self._matching.domains(need.same))

    def _add_gang(self, n: int, need: Need, domains: Codes) -> None:
        totals = self._by_domain(n, need, domains)
        flags = [self._model.new_bool_var("") for _ in totals]
        # Two domains would hold more than its count.
        for flag, total in zip(flags, totals.values(), strict=True):
            self._model.add(total == need.count * flag)
        self._model.add(self._served(n) == sum(totals.values()))

    def _by_domain(self, n: int, need: Need, codes: Codes) -> dict[int, cp_model.LinearExprT]:
        """Give the need's machines in each domain in which anything matches it."""
        matching = self._matching.eligible(need)
        present = {int(codes[s.cell]) for s in self._supply if matching[s.cell]} - {NOBODY}
        return {
            domain: cp_model.LinearExpr.sum(
                [
                    lane
                    for (supply, at), lane in self._lanes.items()
                    if at == n and codes[supply.cell] == domain
                ]
            )
            for domain in sorted(present)
        }

    def _served(self, n: int) -> cp_model.LinearExprT:
        return self._sum(lambda _, at: at == n)

    def _risky(self, n: int) -> cp_model.LinearExprT:
        risk = self.fleet.numbers.interruption_probability
        return self._sum(lambda supply, at: at == n and bool(risk[supply.class_index] > 0))

    def _keep(self, targets: Targets) -> None:
        for n, count in enumerate(targets.per_need or ()):
            self._model.add(self._served(n) == count)
        for priority, count in targets.per_level:
            self._model.add(self._level(priority) == count)
        if targets.creates is not None:
            self._model.add(self._sum(self._is_create) <= targets.creates)
        if targets.evictions is not None:
            self._model.add(self._sum(self._is_eviction) <= targets.evictions)

    def _level(self, priority: int) -> cp_model.LinearExprT:
        return self._sum(lambda _, n: self.fleet.needs[n].priority == priority)

    def _sum(self, which: Callable[[Supply, int], bool]) -> cp_model.LinearExprT:
        return self._weighed(lambda supply, n: int(which(supply, n)))

    def _weighed(self, weight: Callable[[Supply, int], int]) -> cp_model.LinearExprT:
        weights = [weight(supply, n) for supply, n in self._lanes]
        return cp_model.LinearExpr.weighted_sum(list(self._lanes.values()), weights)

    def _is_create(self, supply: Supply, n: int) -> bool:
        return supply.state is State.SPECULATIVE

    def _is_eviction(self, supply: Supply, n: int) -> bool:
        cluster = int(self.fleet.need_cluster[n])
        return supply.serves != NOBODY and supply.cluster not in (NOBODY, cluster)

    def _cost_nanos(self, supply: Supply, n: int) -> int:
        if supply.cluster != NOBODY:
            return 0
        return int(self._matching.costs(self.fleet.needs[n])[supply.class_index])

    def _damage_usd(self, supply: Supply, n: int) -> int:
        if not self._is_eviction(supply, n):
            return 0
        victim = self.fleet.needs[supply.serves]
        return int(victim.interruption_penalty) + max(
            supply.penalty, int(victim.reclamation_penalty)
        )
