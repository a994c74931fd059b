"""Columns hold machines, and refuse what leads nowhere."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from provider_strategies import machines

from models.failure import FailureClass
from models.machine import CapacityType, State
from providers.columns import NO_STATE, LabelColumn, columns_of, machines_of
from providers.machine import Failure, Machine, MachineClass
from providers.texts import Texts

KIND = MachineClass(CapacityType.SPOT)


@given(st.lists(machines, max_size=5))
def test_machines_come_back_from_columns(listed):
    assert list(machines_of(columns_of(listed))) == listed


def test_like_machines_share_one_class():
    listed = [Machine(f"m{n}", State.IDLE, MachineClass(CapacityType.SPOT)) for n in range(3)]
    assert len(columns_of(listed).classes) == 1


def codes(*values, dtype=np.uint32):
    return np.array(values, dtype=dtype)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"shard": codes(0)}, "shard has 1 entries, not 2"),
        ({"class_index": codes(0, 1)}, "class_index has the code 1, but there are 1"),
        ({"cluster": codes(0, 9)}, "cluster has the code 9"),
        ({"health": codes(0, 4, dtype=np.uint8)}, "health has the code 4"),
        ({"state": codes(0, 8, dtype=np.uint8)}, "state has the code 8"),
        ({"failed_from": codes(NO_STATE, 8, dtype=np.uint8)}, "failed_from has the code 8"),
        ({"labels": (LabelColumn("k", ("v",), codes(0, 2)),)}, "label k has the code 2"),
        ({"labels": (LabelColumn("k", ("v",), codes(0)),)}, "label k has 1 entries"),
        ({"failures": {2: Failure(FailureClass.IP, "")}}, "beyond the 2 machines"),
        ({"ids": Texts.of(["a", ""])}, "empty"),
    ],
)
def test_what_leads_nowhere_is_refused(change, says):
    sound = columns_of([Machine("a", State.IDLE, KIND), Machine("b", State.IDLE, KIND)])
    with pytest.raises(ValueError, match=says):
        replace(sound, **change)
