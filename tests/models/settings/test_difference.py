"""Where settings differ: exactly there, and what that means for goals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.rules import Goal
from models.settings import Settings, leaves, settings_document, with_overrides
from models.settings.difference import common_factor, differences
from models.settings.sections import GoalSettings

weights = st.sampled_from([0.0, 0.01, 0.02, 0.1, 1.0, 3.0])
goals = st.builds(GoalSettings, **{name: weights for name in GoalSettings.model_fields})
settings = st.builds(
    Settings, goals=goals, cycle=st.sampled_from([1.0, 10.0]), reconcile=st.sampled_from([1.0, 2.0])
)


@given(settings, settings)
def test_a_difference_is_where_the_documents_differ(before, after):
    old, new = (dict(leaves(settings_document(each))) for each in (before, after))
    told = [(each.path, each.before, each.after) for each in differences(before, after)]
    assert told == [(path, old[path], new[path]) for path in old if old[path] != new[path]]


@given(goals, st.sampled_from([0.25, 0.5, 2.0, 8.0]))
def test_a_common_factor_is_found(weights, factor):
    scaled = GoalSettings(**{name: factor * usd for name, usd in weights.model_dump().items()})
    found = common_factor(Settings(goals=weights), Settings(goals=scaled))
    assert found == (factor if any(weights.model_dump().values()) else 1.0)


@given(goals, goals)
def test_weights_with_a_common_factor_are_proportional(one, other):
    old, new = ([each.weight(goal) for goal in Goal] for each in (one, other))
    factor = common_factor(Settings(goals=one), Settings(goals=other))
    pairs = [
        (a, b, c, d) for a, b in zip(old, new, strict=True) for c, d in zip(old, new, strict=True)
    ]
    # Cross products, so that nothing is divided.
    alike = all(abs(a * d - b * c) < 1e-12 for a, b, c, d in pairs)
    switched = any((a == 0) != (b == 0) for a, b in zip(old, new, strict=True))
    assert (factor is not None) == (alike and not switched)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("goals.moves=0.2", ["One machine", "0.2 USD instead of 0.1", "2 times as much"]),
        ("goals.gang_spread=0.05", ["One domain", "0.5 times as much"]),
        ("goals.running_cost=0", ["no more", "cost an hour"]),
        ("cycle=3s", ["A shard decides so often."]),
    ],
)
def test_what_it_means(override, words):
    [told] = differences(Settings(), with_overrides(Settings(), [override]))
    assert all(word in told.meaning for word in words), told.meaning


def test_a_goal_that_was_off():
    off = with_overrides(Settings(), ["goals.gang_spread=0"])
    [told] = differences(off, Settings())
    assert told.meaning.startswith("Is weighed now, at 0.1 USD per domain.")
