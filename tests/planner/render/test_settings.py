"""Values of settings as they are typed."""

import pytest

from planner.render.settings import plain_value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.0, "5"),
        (0.25, "0.25"),
        (1e9, "1000000000"),
        (9e15, "9000000000000000"),
        (1e22, "1e+22"),
        (2**62, "4611686018427387904"),
        ([1.0, 2.5, 1e22], "[1, 2.5, 1e+22]"),
        (("gpu",), '["gpu"]'),
        ("5m", "5m"),
        ("", "-"),
        (True, "true"),
        (None, "null"),
    ],
)
def test_a_value_is_written_as_it_is_typed(value, text):
    assert plain_value(value) == text
