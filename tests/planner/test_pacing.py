"""However often something happens, it is told only now and then."""

import pytest

from planner.pacing import paced


@pytest.mark.parametrize(
    ("last", "told"),
    [(None, [0.0, 0.3, 0.6, 0.9]), (0.0, [0.3, 0.6, 0.9]), (0.4, [0.7, 1.0])],
)
def test_it_is_told_first_and_then_after_a_while(last, told):
    now, said = [0.0], []
    hear = paced(said.append, lambda: now[0], 0.25, last)
    for tick in range(11):
        now[0] = tick / 10
        hear(now[0])
    assert said == told
