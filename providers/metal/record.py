"""What is kept of one machine, as text for a store."""

import json
from dataclasses import dataclass, fields, replace
from typing import Any

from models.failure import FailureClass
from models.machine import CapacityType, State
from providers.machine import Failure, Machine, MachineClass
from providers.orders import Fence


@dataclass(frozen=True, slots=True)
class Record:
    """A machine, and what is not told of it.

    Attributes
    ----------
    fence
        The last order that was heard; None: none yet.
    grace_until
        When the grace of its drain is over, seconds since 1970.
    is_started
        A hook of its operation that must not run twice may have begun.
    is_releasing
        The hook that cleans up after a failed Configure has not ended yet.
    """

    machine: Machine
    fence: Fence | None = None
    grace_until: float = 0.0
    is_started: bool = False
    is_releasing: bool = False


def to_text(record: Record) -> str:
    """Write a record; ``from_text`` gives an equal one. Health is asked again, and not kept."""
    machine = record.machine
    told = {
        name: getattr(machine, name)
        for name in ("id", "shard", "ownership_version", "cluster", "reservation", "host",
                     "state_since", "estimated_ready", "operation", "revision")
    }  # fmt: skip
    told |= {
        "state": _name(machine.state),
        "failed_from": _name(machine.failed_from),
        "labels": dict(machine.labels),
        "kind": _plain(machine.kind) | {"resources": dict(machine.kind.resources)},
        "last_failure": machine.last_failure and _plain(machine.last_failure),
    }
    kept = _plain(record) | {"machine": told, "fence": record.fence and _plain(record.fence)}
    return json.dumps(kept)


def from_text(text: str) -> Record:
    """Read a record.

    Raises
    ------
    ValueError
        When the text is none.
    """
    try:
        kept = json.loads(text)
        told = kept["machine"]
        kind = told["kind"]
        kind = MachineClass(**kind | {"capacity_type": CapacityType(kind["capacity_type"])})
        machine = Machine(
            **told
            | {
                "state": _state(told["state"]),
                "failed_from": _state(told["failed_from"]),
                "kind": kind,
                "last_failure": _failure(told["last_failure"]),
            }
        )
        fence = kept["fence"]
        return Record(**kept | {"machine": machine, "fence": fence and Fence(**fence)})
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"is no record of a machine ({error}).") from None


def _plain(value: Any) -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in fields(value)}


def _name(state: State | None) -> str | None:
    return None if state is None else state.name


def _state(name: str | None) -> State | None:
    return None if name is None else State[name]


def _failure(told: dict[str, Any] | None) -> Failure | None:
    """Read what went wrong last: never a refusal, which is told to whoever ordered."""
    if told is None:
        return None
    failure = Failure(**told)
    return replace(failure, failure_class=FailureClass(failure.failure_class))
