"""How long an account is left alone."""

import pytest

from models.failure import FailureClass
from models.machine import CapacityType
from providers.fanout.rests import Kind, Rests
from providers.machine import Failure

KIND = Kind("a", "t", CapacityType.SPOT, "z")
NO = Failure(FailureClass.QUOTA, "no more")


def test_rests_double_up_to_the_most_and_success_ends_them():
    rests, now, spans = Rests(10.0, 35.0), 0.0, []
    for _ in range(4):
        rests.refused(KIND, NO, now)
        span = next(s for s in range(100) if rests.failure(KIND, now + s) is None)
        spans.append(span)
        now += span
    assert spans == [10, 20, 35, 35]
    rests.accepted(KIND)
    rests.refused(KIND, NO, now)
    assert rests.failure(KIND, now + 9.9) is not None
    assert rests.failure(KIND, now + 10.0) is None


def test_refusals_while_it_rests_do_not_count():
    rests = Rests(10.0, 100.0)
    for second in range(10):
        rests.refused(KIND, NO, float(second))
    assert rests.failure(KIND, 10.0) is None


@pytest.mark.parametrize(
    "other",
    [KIND._replace(account="b"), KIND._replace(zone="y"), KIND._replace(instance_type="u"),
     KIND._replace(capacity_type=CapacityType.ON_DEMAND)],
)  # fmt: skip
def test_only_that_kind_rests_and_says_why(other):
    rests = Rests()
    rests.refused(KIND, NO, 0.0)
    assert rests.failure(other, 0.0) is None
    told = rests.failure(KIND, 80.0)
    assert (told.failure_class, told.message) == (
        FailureClass.QUOTA,
        "account a rests for 100 s: no more",
    )
