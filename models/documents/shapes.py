"""Shapes of a fleet document: which fields there are and of which kind, row by row.

Null is absent everywhere, so each field that may be absent may be null. What takes more than one
field to judge is in ``machines``, ``needs`` and ``fleet_document``.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from models.documents.fields import (
    Amount,
    Count,
    Int32,
    Key,
    Moment,
    Money,
    Name,
    Positive,
    Seconds,
    Share,
    Text,
    whole,
)
from models.machine import CapacityType
from models.need import DEFAULT_DRAIN_SECONDS, WhenUnsatisfiable
from models.rows import MOST_MACHINES, ClusterMode

SHAPE = ConfigDict(strict=True, extra="forbid", frozen=True, alias_generator=to_camel)

StateName = Literal[
    "SPECULATIVE", "CREATING", "IDLE", "CONFIGURING", "CONFIGURED", "DRAINING", "DELETING", "FAILED"
]
OperatorName = Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte", "Same"]

# Strict enumerations take only members; files hold their values.
_CapacityType = Annotated[CapacityType, Field(strict=False)]
_WhenUnsatisfiable = Annotated[WhenUnsatisfiable, Field(strict=False)]
_ClusterMode = Annotated[ClusterMode, Field(strict=False)]


class HostShape(BaseModel):
    """The real machine behind a row; without a provider that of the row."""

    model_config = SHAPE

    provider: Name | None = None
    ref: Name


class MachineShape(BaseModel):
    """One row of ``machines``."""

    model_config = SHAPE

    id: Name
    count: Annotated[int, Field(ge=0, le=MOST_MACHINES), BeforeValidator(whole)] | None = None
    shard: Name | None = None
    state: StateName | None = "SPECULATIVE"
    host: HostShape | None = None
    provider: Name | None = None
    cluster: Name | None = None
    serves: Name | None = None
    instance_type: Text | None = None
    capacity_type: _CapacityType
    price_per_hour: Money | None = None
    interruption_probability: Share | None = 0.0
    resources: dict[Key, Amount | None] | None = None
    labels: dict[Key, Text | None] | None = None
    reclamation_penalty: Money | None = 0.0
    ready_seconds: Seconds | None = 0.0
    pinned: bool | None = False
    state_since: Moment | None = None
    reclaim_at: Moment | None = None


class RequirementShape(BaseModel):
    """One requirement of a need; ``Same`` says what ``same`` says."""

    model_config = SHAPE

    key: Name
    operator: OperatorName
    values: list[Text] | None = None


class SpreadShape(BaseModel):
    """One spread of a need."""

    model_config = SHAPE

    key: Name
    max_skew: Positive | None = 1
    when_unsatisfiable: _WhenUnsatisfiable | None = WhenUnsatisfiable.DO_NOT_SCHEDULE


class NeedShape(BaseModel):
    """One row of ``needs``."""

    model_config = SHAPE

    id: Name
    cluster: Name
    count: Count
    priority: Int32 | None = 0
    requirements: list[RequirementShape] | None = None
    resources: dict[Key, Amount | None] | None = None
    same: Name | None = None
    spread: list[SpreadShape] | None = None
    interruption_penalty: Money | None = 0.0
    reclamation_penalty: Money | None = 0.0
    drain_seconds: Seconds | None = DEFAULT_DRAIN_SECONDS
    floor: Count | None = 0


class ShardShape(BaseModel):
    """One row of ``shards``."""

    model_config = SHAPE

    name: Name
    clusters: list[Name] | None = None


class ClusterShape(BaseModel):
    """One row of ``clusters``."""

    model_config = SHAPE

    name: Name
    mode: _ClusterMode | None = ClusterMode.ACTIVE


class MetadataShape(BaseModel):
    """What a document says about itself."""

    model_config = SHAPE

    name: Text | None = None


class FleetShape(BaseModel):
    """A whole document of kind Fleet."""

    model_config = SHAPE

    api_version: Literal["bigfleet.dev/v1"] | None = "bigfleet.dev/v1"
    kind: Literal["Fleet"] | None = "Fleet"
    metadata: MetadataShape | None = None
    topology: list[Name] | None = None
    shards: list[ShardShape] | None = None
    clusters: list[ClusterShape] | None = None
    machines: list[MachineShape] | None = None
    needs: list[NeedShape] | None = None
