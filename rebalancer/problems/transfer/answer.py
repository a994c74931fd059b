"""The one door: a question in, moves and what is proven of them out."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.fleet import Ints
from rebalancer.flows.cheapest import cheapest
from rebalancer.flows.lexicographic import Solve, Value, descend
from rebalancer.problems.transfer.exchange import Exchange
from rebalancer.problems.transfer.groups import Groups, groups_of
from rebalancer.problems.transfer.moves import Moves, moves_of
from rebalancer.problems.transfer.network import Network, network_of
from rebalancer.problems.transfer.objectives import Measure, Objectives, objectives_of
from rebalancer.problems.transfer.tally import Tally, tally


@dataclass(frozen=True, slots=True)
class Reached:
    """One objective: ``level`` is that of SERVING; value and bound as in ``Value``, smaller better.

    The cost is in whole units here; see ``Transfer`` for USD.
    """

    measure: Measure
    level: int | None
    value: Value


@dataclass(frozen=True, eq=False, slots=True)
class Transfer:
    """The answer.

    Attributes
    ----------
    reached
        The objectives on which something could change, in their order.
    bound_usd
        No legal moves that are as good in all that goes before cost less; None where not known.
    """

    moves: Moves
    tally: Tally
    reached: tuple[Reached, ...]
    bound_usd: float | None

    @property
    def is_proven(self) -> bool:
        """Tell whether every objective is proven, the cost to the unit of its rounding."""
        return all(objective.value.is_proven for objective in self.reached)

    @property
    def gap(self) -> float | None:
        """Give the proven distance of the cost from the least, as a share; None if not known.

        Where the cost is 0 a share says nothing, and the distance is given in USD.
        """
        if self.bound_usd is None:
            return None
        over = max(self.tally.cost_usd - self.bound_usd, 0.0)
        return over / (abs(self.tally.cost_usd) or 1.0)


@dataclass(frozen=True, eq=False, slots=True)
class Circulation:
    """A question as a circulation with its objectives."""

    question: Exchange
    groups: Groups
    network: Network
    objectives: Objectives


def transfer(question: Exchange, solve: Solve = cheapest) -> Transfer:
    """Find the best moves between shards: best in every objective, one after the other.

    The same question gives the same answer. All that is said to be proven was proven by numbers
    that were checked here; an answer of the solver that is no plan, or not better, is left out, in
    the worst case to no moves at all. There is no limit in time: a caller that has one runs it in a
    process of its own.
    """
    problem = drawn_up(question)
    return concluded(problem, *searched(problem, solve))


def drawn_up(question: Exchange) -> Circulation:
    """Draw the problem up."""
    groups = groups_of(question)
    network = network_of(question, groups)
    return Circulation(question, groups, network, objectives_of(question, groups, network))


def searched(problem: Circulation, solve: Solve = cheapest) -> tuple[Ints, list[Value]]:
    """Give the flow of every arc, ``(A,)``, and what it comes to in each objective."""
    costs = [objective.cost for objective in problem.objectives.all]
    return descend(problem.network.arcs, costs, solve)


def concluded(problem: Circulation, flow: Ints, values: Sequence[Value]) -> Transfer:
    """Say what a flow moves, and what is proven of it."""
    question, objectives = problem.question, problem.objectives
    moves = moves_of(question, problem.groups, problem.network, flow)
    bound = values[-1].bound
    return Transfer(
        moves,
        tally(question, moves),
        tuple(
            Reached(each.measure, each.level, value)
            for each, value in zip(objectives.all, values, strict=True)
        ),
        None if bound is None else bound * objectives.unit_usd - objectives.rounding_usd,
    )
