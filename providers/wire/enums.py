"""The enumerations of the wire, by their names."""

from models.failure import FailureClass
from models.machine import CapacityType, State
from providers.machine import Health, Refusal
from providers.v1 import capacity_pb2 as pb

STATES = {state: pb.MachineState.Value(f"MACHINE_STATE_{state.name}") for state in State}
CAPACITY_TYPES = {
    kind: pb.CapacityType.Value(f"CAPACITY_TYPE_{kind.name}") for kind in CapacityType
}
HEALTHS = {health: pb.Health.Value(f"HEALTH_{health.name}") for health in Health}
CLASSES = {each: pb.ErrorClass.Value(f"ERROR_CLASS_{each.name}") for each in FailureClass}
REFUSALS = {each: pb.Refusal.Value(f"REFUSAL_{each.name}") for each in Refusal}

STATE_OF = {number: state for state, number in STATES.items()}
"""A number that is not here is a state in transition, never gone."""
CAPACITY_TYPE_OF = {number: kind for kind, number in CAPACITY_TYPES.items()}
HEALTH_OF = {number: health for health, number in HEALTHS.items()}
CLASS_OF = {number: each for each, number in CLASSES.items()}
REFUSAL_OF = {number: each for each, number in REFUSALS.items()}
