"""Errors carry their faults, say them in lines, and survive a copy."""

import copy
import pickle

import pytest

from models.errors import (
    BigFleetError,
    Fault,
    InputFault,
    ProviderThrottled,
    ProviderUnavailable,
    RuleBroken,
)

FAULTS = (Fault("machines[3].id", "is doubled."), Fault("", "is empty."))


def test_a_fault_is_one_line_with_its_place():
    assert [str(fault) for fault in FAULTS] == ["machines[3].id: is doubled.", "is empty."]


def test_an_input_fault_says_every_fault():
    error = InputFault(list(FAULTS))
    assert error.faults == FAULTS
    assert str(error) == "machines[3].id: is doubled.\nis empty."


def test_within_puts_the_file_before_each_path():
    outer = InputFault(FAULTS).within("fleet.yaml")
    assert str(outer) == "fleet.yaml: machines[3].id: is doubled.\nfleet.yaml: is empty."
    assert outer.faults[1].path == "fleet.yaml"


def test_a_broken_rule_says_all_in_one_line():
    error = RuleBroken(["m: no", "n: no"])
    assert (str(error), error.violations) == ("m: no; n: no", ("m: no", "n: no"))


@pytest.mark.parametrize(
    "error",
    [
        InputFault(FAULTS),
        RuleBroken(("m: no", "n: no")),
        ProviderUnavailable("p", "no answer."),
        ProviderThrottled("p", "too many calls.", 1.5),
    ],
)
@pytest.mark.parametrize("again", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_from_another_process_is_the_same(error, again):
    other = again(error)
    assert isinstance(other, BigFleetError)
    assert (type(other), str(other), vars(other)) == (type(error), str(error), vars(error))
