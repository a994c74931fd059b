"""The name that was meant."""

import pytest

from models.nearest import did_you_mean


@pytest.mark.parametrize(
    ("wrong", "names", "said"),
    [
        ("cycel", ["plan", "cycle"], "; did you mean 'cycle'?"),
        ("xxxxx", ["plan", "cycle"], "."),
        ("v9", ["i1", "v1"], "; did you mean 'v1'?"),
        ("a", [], "."),
        ("ycle", ["cycle"], "; did you mean 'cycle'?"),
    ],
)
def test_the_nearest_is_named_if_it_is_near(wrong, names, said):
    assert did_you_mean(wrong, names) == said


def test_among_very_many_those_with_the_same_start_are_looked_at():
    names = [f"i{row}" for row in range(30_000)] + [f"gpu-{row}" for row in range(30_000)]
    assert did_you_mean("gpu-29999x", names) == "; did you mean 'gpu-29999'?"
