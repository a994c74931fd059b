"""What each goal is, for people: its unit, its formula, what it means and what a weight buys.

The formulas are those at the head of ``rebalancer/goals``; a test holds the two together.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from models.rules import Goal


@dataclass(frozen=True, slots=True)
class GoalText:
    """One goal in words.

    Attributes
    ----------
    unit
        What its value counts, in the singular; a weight is in USD for one of it.
    meaning
        One sentence on the value.
    weight
        One sentence on a weight of x.
    note
        What is easily overlooked; "" where nothing is.
    """

    unit: str
    formula: str
    meaning: str
    weight: str
    note: str = ""

    @property
    def weight_unit(self) -> str:
        """Give the unit of the weight."""
        return f"USD per {self.unit}"


GOAL_TEXTS: Mapping[Goal, GoalText] = {
    Goal.PREEMPTION_DAMAGE: GoalText(
        "USD",
        "sum over evicted machines of the larger of its own and its need's reclamation penalty "
        "+ sum over evicted machines of needs that are no gang of the interruption penalty "
        "+ sum over gangs that lose at least one machine of the interruption penalty, once",
        "What is lost by taking machines away from running work.",
        "A penalty of 1 USD counts x USD: at 1 penalties are taken at their word.",
        "Only evictions by the rebalancer count, not those that a shard's own cycle has ordered.",
    ),
    Goal.RUNNING_COST: GoalText(
        "USD/h",
        "sum over machines with a host of price + sum over created machines of price",
        "What all machines with a host cost an hour.",
        "A price counts as if it were paid for x hours.",
        "Only creating a machine changes it; what is drained or handed over stays paid for.",
    ),
    Goal.INTERRUPTION_RISK: GoalText(
        "USD/h",
        "sum over machines that serve a need of p * interruption penalty of that need",
        "What interruptions are expected to cost an hour.",
        "An expected loss counts as if it were borne for x hours.",
    ),
    Goal.MOVES: GoalText(
        "machine",
        "sum over moves of their machines",
        "How many machines the plan moves.",
        "A plan that moves one machine more must be worth x USD more.",
        "How many machines a plan moves follows from what it serves and drains, which come before "
        "the goals: this weight hardly ever changes a plan.",
    ),
    Goal.TIME_TO_READY: GoalText(
        "machine-second",
        "sum over created machines of expected ready seconds "
        "+ sum over evicted ones of drain seconds",
        "How long needs wait for the machines that the plan brings, summed.",
        "An hour that one machine is waited for counts 3600 x USD.",
    ),
    Goal.SHARD_BALANCE: GoalText(
        "machine",
        "1/2 * sum over classes k and shards s of abs(have[k, s] - total[k] / S)",
        "How many machines would have to move for every shard to hold a like share of each class.",
        "A machine given by the shard with more of its class, to one with less, is worth x USD.",
        "Machines in every state count, speculative ones too.",
    ),
    Goal.DOMAIN_FRAGMENTATION: GoalText(
        "machine",
        "sum over domains D that are partly used of their free machines",
        "How many free machines no longer make up a whole free domain of the lowest level.",
        "Each free machine left over where a whole free domain is broken into costs x USD.",
        "A machine is free where it is idle and no cycle has reserved it.",
    ),
    Goal.GANG_SPREAD: GoalText(
        "domain",
        "sum over gangs q and domains D of used(q, D) - fewest(q, D, n)",
        "How many domains of the next lower level (racks of a spine) gangs use beyond the fewest "
        "that could hold them.",
        "A gang that uses one domain fewer is worth x USD.",
        "A gang whose key is the lowest level of the topology, or no level, counts 0.",
    ),
    Goal.SPOT_DIVERSITY: GoalText(
        "machine",
        "sum over clusters of max over (class, zone) of its spot machines there",
        "How many spot machines clusters would lose if the market they use most were reclaimed.",
        "One spot machine less in a cluster's largest (class, zone) is worth x USD.",
    ),
    Goal.DONOR_HEADROOM: GoalText(
        "machine",
        "sum over shards s and classes k of max(0, forecast[s, k] - idle[s, k])",
        "By how many machines the idle ones of shards fall below what they expect to assign soon.",
        "Leaving a shard one idle machine that it expects to need is worth x USD.",
        "The forecast comes from cycles that have run: on a file it is 0, and so is this goal.",
    ),
}
"""In the order of ``Goal``."""
