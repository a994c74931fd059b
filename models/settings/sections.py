"""Every setting with its default, its unit and what it does, as small frozen models."""

from math import inf
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, model_validator

from models.documents.fields import Count, Int32, Positive, Seconds
from models.goal_texts import GOAL_TEXTS
from models.machine import CapacityType
from models.need import TIER_1_PRIORITY
from models.rules import Goal
from models.settings.kinds import (
    SECTION,
    Names,
    Natural32,
    Part,
    Patterns,
    Percent,
    Period,
    Positive32,
    Steps,
    Switch,
    Threads,
    Weight,
    Weights,
    said,
)


class NeedsSettings(BaseModel):
    """How long a roll-up is believed."""

    model_config = SECTION

    ttl: Period = said(300.0, "time", "From this age on a cluster's roll-up counts as silence.")


class AssignSettings(BaseModel):
    """Phase 1: which machine goes first."""

    model_config = SECTION

    scarce: Names = said(
        ("gpu",), "resource", "Machines with one of these go last to needs that do not ask for it."
    )
    price_tolerance: Part = said(
        0.05,
        "share",
        "Spot machines so little above the cheapest one are spread over (class, zone).",
    )
    spot_max_share: Part = said(
        0.5, "share", "Most of a need's count in one (class, zone) of spot, while there is another."
    )
    max_wait: Seconds = said(
        900.0, "time", "Machines that take longer to be ready go last; tier 1 skips them."
    )
    bootstrap_keys: Patterns = said(
        ("kubernetes.io/kubelet-version", "feature.node.kubernetes.io/*"),
        "label key",
        "Labels that bootstrapping sets: they are not asked of a machine before it.",
    )


class PreemptSettings(BaseModel):
    """Phase 2: weights of speed, interruption and reclamation, and grace by priority gap.

    ``grace`` holds (smallest gap, seconds), the largest gap first.
    """

    model_config = SECTION

    normal: Weights = said(
        (1.0, 1.0, 1.0), "points", "Worth of a victim's speed, low interruption, low reclamation."
    )
    saturated: Weights = said(
        (10.0, 3.0, 3.0), "points", "The same for tier 1 while the shard is saturated."
    )
    saturation: Part = said(
        0.95, "share", "Machines in use, of those with a host, from which a shard is saturated."
    )
    grace: Steps = said(
        ((900_001, 10.0), (500_000, 30.0), (100_001, 120.0), (0, 600.0)),
        "priority, time",
        "Time that a victim has to end, by how far its preemptor's priority is above its own.",
    )


class ReclaimSettings(BaseModel):
    """Phase 3: how long excess must stand."""

    model_config = SECTION

    delay: Seconds = said(60.0, "time", "Excess is drained once it has stood for so long.")


class HoldSettings(BaseModel):
    """How long an idle machine is held before it is deleted; fixed ones never are."""

    model_config = SECTION

    spot: Seconds = said(300.0, "time", "An idle spot machine is deleted after this.")
    on_demand: Seconds = said(
        600.0, "time", "An idle on-demand machine is deleted after this.", alias="on-demand"
    )

    def seconds(self, capacity_type: CapacityType) -> float:
        """Give the hold of a capacity type; infinite for fixed ones."""
        held = {CapacityType.SPOT: self.spot, CapacityType.ON_DEMAND: self.on_demand}
        return held.get(capacity_type, inf)


class ReleaseSettings(BaseModel):
    """When idle elastic machines go back."""

    model_config = SECTION

    hold: HoldSettings = HoldSettings()
    hold_max: Seconds = said(3600.0, "time", "Longest hold of a machine that the forecast keeps.")
    window: Period = said(300.0, "time", "How far ahead the forecast of assignments looks.")
    half_life: Period = said(900.0, "time", "Age at which an assignment counts half in it.")


class TimeoutSettings(BaseModel):
    """How long a transition may take; a drain its grace and ``draining_extra``."""

    model_config = SECTION

    creating: Period = said(900.0, "time", "Creating a machine may take so long.")
    configuring: Period = said(600.0, "time", "Configuring a machine may take so long.")
    draining_extra: Seconds = said(300.0, "time", "Draining may take so long beyond its grace.")
    deleting: Period = said(600.0, "time", "Deleting a machine may take so long.")


class BackoffSettings(BaseModel):
    """How long what failed is left alone: ``first``, doubling to ``max``."""

    model_config = SECTION

    first: Period = said(180.0, "time", "Pause after the first failure; it doubles with each.")
    max: Period = said(1800.0, "time", "Longest pause.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.first > self.max:
            raise ValueError(f"first ({self.first} s) must not be longer than max ({self.max} s).")
        return self


class ShortfallSettings(BaseModel):
    """What is reported and when it is escalated; ``escalate_after`` counts cycles."""

    model_config = SECTION

    max: Count = said(100, "shortfall", "So many a shard reports, the most important ones.")
    escalate_after: Count = said(5, "cycle", "An older shortfall is escalated.")
    incident_after: Seconds = said(900.0, "time", "An older shortfall of tier 1 is an incident.")
    tier1: Int32 = said(TIER_1_PRIORITY, "priority", "Needs from this priority on are tier 1.")


class RecoverySettings(BaseModel):
    """Coming back: reconciles without acting, then a share of the machines a window."""

    model_config = SECTION

    read_only: Count = said(2, "reconcile", "So many complete ones pass before a shard acts again.")
    percent: Percent = said(5, "percent", "Of the machines with a host, acted on a window.")
    window: Period = said(300.0, "time", "Length of the windows after coming back.")


class ListSettings(BaseModel):
    """How much evidence doubt needs: complete lists and reports in a row."""

    model_config = SECTION

    missing: Positive = said(3, "list", "Complete Lists without a machine until it is gone.")
    orphan_idle: Positive = said(3, "report", "Idle reports until an orphan is deleted.")
    health_misses: Positive = said(3, "report", "Reports without a machine until it is suspect.")
    full: Period = said(300.0, "time", "A provider is asked for a full List so often.")


class RebalanceSettings(BaseModel):
    """The rebalancer.

    ``mode`` says what becomes of a plan: ``apply`` carries it out, ``shadow`` only reports it,
    ``off`` makes none. ``max_moves`` None is no limit; ``workers`` 0 is one for each processor.
    """

    model_config = SECTION

    mode: Annotated[Literal["apply", "shadow", "off"], Switch] = said(
        "apply", "", "What becomes of a plan: carried out, only reported, or none is made."
    )
    every: Period = said(30.0, "time", "A plan is made so often.")
    deadline: Period = said(20.0, "time", "Time for one solve.")
    min_gap: Positive32 = said(
        100_000,
        "priority",
        "Machines in use change shards only for a priority so far above theirs.",
    )
    drain_percent: Percent = said(
        5, "percent", "Of a shard's machines with a host, drained for others a window."
    )
    window: Period = said(300.0, "time", "Length of the windows in which a plan is applied.")
    canary_percent: Percent = said(5, "percent", "Of the shards, the first for a new coordinator.")
    max_moves: Count | None = said(None, "machine", "Most that a plan moves; null is no limit.")
    cool_down: Seconds = said(600.0, "time", "A machine that was moved stays for so long.")
    seed: Natural32 = said(0, "", "Seed of the solver.")
    workers: Threads = said(0, "thread", "Threads of the solver; 0 is one for each processor.")
    migrate: Annotated[Literal["off", "on"], Switch] = said(
        "off", "", "Whether gangs in use may be moved, and machines replaced by better ones."
    )
    migrate_horizon: Period = said(
        86_400.0, "time", "A replacement must pay for itself within this."
    )
    max_clusters: Positive = said(100, "cluster", "A shard with more is split.")
    max_machines: Positive = said(500_000, "machine", "A shard with more is split.")


def _weight(goal: Goal, usd: float) -> Any:
    text = GOAL_TEXTS[goal]
    return said(usd, text.weight_unit, f"{text.meaning} {text.weight}")


class GoalSettings(BaseModel):
    """Weight of each goal, in USD a unit; 0 switches it off."""

    model_config = SECTION

    preemption_damage: Weight = _weight(Goal.PREEMPTION_DAMAGE, 1.0)
    running_cost: Weight = _weight(Goal.RUNNING_COST, 1.0)
    interruption_risk: Weight = _weight(Goal.INTERRUPTION_RISK, 1.0)
    moves: Weight = _weight(Goal.MOVES, 0.1)
    time_to_ready: Weight = _weight(Goal.TIME_TO_READY, 0.0001)
    shard_balance: Weight = _weight(Goal.SHARD_BALANCE, 0.01)
    domain_fragmentation: Weight = _weight(Goal.DOMAIN_FRAGMENTATION, 0.1)
    gang_spread: Weight = _weight(Goal.GANG_SPREAD, 0.1)
    spot_diversity: Weight = _weight(Goal.SPOT_DIVERSITY, 0.1)
    donor_headroom: Weight = _weight(Goal.DONOR_HEADROOM, 0.05)

    def weight(self, goal: Goal) -> float:
        """Give the weight of one goal."""
        weight: float = getattr(self, goal.value)
        return weight


class Settings(BaseModel):
    """All settings; ``Settings()`` are the defaults, and so are those of an empty file."""

    model_config = SECTION

    cycle: Period = said(10.0, "time", "A shard decides so often.")
    reconcile: Period = said(10.0, "time", "A provider is asked for changes so often.")
    needs: NeedsSettings = NeedsSettings()
    assign: AssignSettings = AssignSettings()
    preempt: PreemptSettings = PreemptSettings()
    reclaim: ReclaimSettings = ReclaimSettings()
    release: ReleaseSettings = ReleaseSettings()
    timeouts: TimeoutSettings = TimeoutSettings()
    backoff: BackoffSettings = BackoffSettings()
    shortfalls: ShortfallSettings = ShortfallSettings()
    recovery: RecoverySettings = RecoverySettings()
    lists: ListSettings = ListSettings()
    rebalance: RebalanceSettings = RebalanceSettings()
    goals: GoalSettings = GoalSettings()
