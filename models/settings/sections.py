"""Every setting with its default and its bounds, as small frozen models."""

from itertools import pairwise
from math import inf
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from models.bootstrap import checked_patterns
from models.documents.fields import Count, Int32, Key, Money, Seconds, Share
from models.machine import CapacityType
from models.need import TIER_1_PRIORITY
from models.rules import Goal

SECTION = ConfigDict(strict=True, extra="forbid", frozen=True)


def _tuple(value: Any) -> Any:
    # Files hold lists; frozen models hold tuples.
    return tuple(value) if isinstance(value, list) else value


def _positive(seconds: float) -> float:
    if not seconds > 0:
        raise ValueError("must be longer than 0s.")
    return seconds


def _unsigned(value: float) -> float:
    # -0.0 equals 0.0 but is written differently, and equal settings must have one hash.
    return value + 0.0


def _switch(value: Any) -> Any:
    # Readers of YAML 1.1 take a bare off for false and on for true.
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def _descending(steps: tuple[tuple[int, float], ...]) -> tuple[tuple[int, float], ...]:
    gaps = [gap for gap, _ in steps]
    if not gaps or gaps[-1] != 0 or any(a <= b for a, b in pairwise(gaps)):
        raise ValueError(f"the gaps {gaps} must fall from step to step and end with 0.")
    return steps


Period = Annotated[Seconds, AfterValidator(_positive)]
Weight = Annotated[Money, Field(le=1e9), AfterValidator(_unsigned)]
Part = Annotated[Share, AfterValidator(_unsigned)]
Percent = Annotated[Count, Field(le=100)]
Names = Annotated[tuple[Key, ...], BeforeValidator(_tuple)]
Patterns = Annotated[Names, AfterValidator(checked_patterns)]
Weights = Annotated[tuple[Weight, Weight, Weight], BeforeValidator(_tuple)]
Step = Annotated[tuple[Annotated[Int32, Field(ge=0)], Seconds], BeforeValidator(_tuple)]
Steps = Annotated[tuple[Step, ...], BeforeValidator(_tuple), AfterValidator(_descending)]


class NeedsSettings(BaseModel):
    """How long a roll-up is believed."""

    model_config = SECTION

    ttl: Period = 300.0


class AssignSettings(BaseModel):
    """Phase 1: which machine goes first."""

    model_config = SECTION

    scarce: Names = ("gpu",)
    price_tolerance: Part = 0.05
    spot_max_share: Part = 0.5
    max_wait: Seconds = 900.0
    bootstrap_keys: Patterns = ("kubernetes.io/kubelet-version", "feature.node.kubernetes.io/*")


class PreemptSettings(BaseModel):
    """Phase 2: weights of speed, interruption and reclamation, and grace by priority gap.

    ``grace`` holds (smallest gap, seconds), the largest gap first.
    """

    model_config = SECTION

    normal: Weights = (1.0, 1.0, 1.0)
    saturated: Weights = (10.0, 3.0, 3.0)
    saturation: Part = 0.95
    grace: Steps = ((900_001, 10.0), (500_000, 30.0), (100_001, 120.0), (0, 600.0))


class ReclaimSettings(BaseModel):
    """Phase 3: how long excess must stand."""

    model_config = SECTION

    delay: Seconds = 60.0


class HoldSettings(BaseModel):
    """How long an idle machine is held before it is deleted; fixed ones never are."""

    model_config = SECTION

    spot: Seconds = 300.0
    on_demand: Annotated[Seconds, Field(alias="on-demand")] = 600.0

    def seconds(self, capacity_type: CapacityType) -> float:
        """Give the hold of a capacity type; infinite for fixed ones."""
        held = {CapacityType.SPOT: self.spot, CapacityType.ON_DEMAND: self.on_demand}
        return held.get(capacity_type, inf)


class ReleaseSettings(BaseModel):
    """When idle elastic machines go back."""

    model_config = SECTION

    hold: HoldSettings = HoldSettings()
    hold_max: Seconds = 3600.0
    window: Period = 300.0
    half_life: Period = 900.0


class TimeoutSettings(BaseModel):
    """How long a transition may take; a drain its grace and ``draining_extra``."""

    model_config = SECTION

    creating: Period = 900.0
    configuring: Period = 600.0
    draining_extra: Seconds = 300.0
    deleting: Period = 600.0


class BackoffSettings(BaseModel):
    """How long what failed is left alone: ``first``, doubling to ``max``."""

    model_config = SECTION

    first: Period = 180.0
    max: Period = 1800.0

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.first > self.max:
            raise ValueError(f"first ({self.first} s) must not be longer than max ({self.max} s).")
        return self


class ShortfallSettings(BaseModel):
    """What is reported and when it is escalated; ``escalate_after`` counts cycles."""

    model_config = SECTION

    max: Count = 100
    escalate_after: Count = 5
    incident_after: Seconds = 900.0
    tier1: Int32 = TIER_1_PRIORITY


class RecoverySettings(BaseModel):
    """Coming back: reconciles without acting, then a share of the machines a window."""

    model_config = SECTION

    read_only: Count = 2
    percent: Percent = 5
    window: Period = 300.0


class ListSettings(BaseModel):
    """How much evidence doubt needs: complete lists and reports in a row."""

    model_config = SECTION

    missing: Annotated[Count, Field(ge=1)] = 3
    orphan_idle: Annotated[Count, Field(ge=1)] = 3
    health_misses: Annotated[Count, Field(ge=1)] = 3
    full: Period = 300.0


class RebalanceSettings(BaseModel):
    """The rebalancer.

    ``mode`` says what becomes of a plan: ``apply`` carries it out, ``shadow`` only reports it,
    ``off`` makes none. ``max_moves`` None is no limit; ``workers`` 0 is one for each processor.
    """

    model_config = SECTION

    mode: Annotated[Literal["apply", "shadow", "off"], BeforeValidator(_switch)] = "apply"
    every: Period = 30.0
    deadline: Period = 20.0
    min_gap: Annotated[Int32, Field(ge=1)] = 100_000
    drain_percent: Percent = 5
    window: Period = 300.0
    canary_percent: Percent = 5
    max_moves: Count | None = None
    cool_down: Seconds = 600.0
    seed: Annotated[Int32, Field(ge=0)] = 0
    workers: Annotated[Count, Field(le=1024)] = 0
    migrate: Annotated[Literal["off", "on"], BeforeValidator(_switch)] = "off"
    migrate_horizon: Period = 86_400.0
    max_clusters: Annotated[Count, Field(ge=1)] = 100
    max_machines: Annotated[Count, Field(ge=1)] = 500_000


class GoalSettings(BaseModel):
    """Weight of each goal, in USD a unit; 0 switches it off."""

    model_config = SECTION

    preemption_damage: Weight = 1.0
    running_cost: Weight = 1.0
    interruption_risk: Weight = 1.0
    moves: Weight = 0.1
    time_to_ready: Weight = 0.0001
    shard_balance: Weight = 0.01
    domain_fragmentation: Weight = 0.1
    gang_spread: Weight = 0.1
    spot_diversity: Weight = 0.1
    donor_headroom: Weight = 0.05

    def weight(self, goal: Goal) -> float:
        """Give the weight of one goal."""
        weight: float = getattr(self, goal.value)
        return weight


class Settings(BaseModel):
    """All settings; ``Settings()`` are the defaults, and so are those of an empty file."""

    model_config = SECTION

    cycle: Period = 10.0
    reconcile: Period = 10.0
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
