"""Hypothesis strategies: machines as providers report them, failures, fences."""

from hypothesis import strategies as st

from models.failure import FailureClass
from models.machine import CapacityType, State
from providers.machine import Failure, Health, Machine, MachineClass, Refusal
from providers.orders import Fence

NAMES = st.sampled_from(["", "a", "b/n", "größe", "机器-7", "x" * 40])
TIMES = st.none() | st.integers(0, 2**40).map(lambda eighths: eighths / 8)
"""Exact in nanoseconds and as float64."""

failures = st.builds(
    Failure,
    st.sampled_from(FailureClass),
    NAMES,
    TIMES.map(lambda time: time or 0.0),
    st.none() | st.sampled_from(Refusal),
)

classes = st.builds(
    MachineClass,
    st.sampled_from(CapacityType),
    NAMES,
    st.none() | st.sampled_from([0.0, 0.3, 12.5]),
    st.sampled_from([0.0, 0.25, 1.0]),
    st.dictionaries(st.sampled_from(["cpu", "memory", "gpu"]), st.integers(0, 2**63 - 1)),
)

machines = st.builds(
    Machine,
    id=NAMES.filter(bool),
    state=st.none() | st.sampled_from(State),
    kind=classes,
    shard=NAMES,
    ownership_version=st.integers(0, 2**64 - 1),
    cluster=NAMES,
    reservation=NAMES,
    host=NAMES,
    labels=st.dictionaries(NAMES, NAMES, max_size=3),
    health=st.sampled_from(Health),
    state_since=TIMES,
    estimated_ready=TIMES,
    reclaim_at=TIMES,
    operation=NAMES,
    last_failure=st.none() | failures,
    failed_from=st.none() | st.sampled_from(State),
    revision=st.integers(0, 2**64 - 1),
)

fences = st.builds(Fence, st.sampled_from(["s0", "s1"]), st.integers(0, 3), st.integers(0, 3))
