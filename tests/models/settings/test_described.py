"""Every setting says its default, its unit and what it does; the schema says the same."""

import pytest

from models.goal_texts import GOAL_TEXTS
from models.rules import Goal
from models.settings import Settings, leaves, settings_document, settings_schema
from models.settings.described import described

COUNTS_NOTHING = {"rebalance.mode", "rebalance.migrate", "rebalance.seed"}
LONGEST_TEXT = 200


def test_every_setting_is_there_in_the_order_of_the_document():
    told = [(each.path, each.default) for each in described()]
    assert told == list(leaves(settings_document(Settings())))


@pytest.mark.parametrize("setting", described(), ids=lambda each: each.path)
def test_each_has_a_unit_and_one_line_of_its_own(setting):
    assert bool(setting.unit) == (setting.path not in COUNTS_NOTHING)
    assert setting.text.endswith(".")
    assert setting.text.isprintable()
    assert 10 < len(setting.text) <= LONGEST_TEXT
    others = [each.text for each in described() if each.path != setting.path]
    assert others.count(setting.text) <= (setting.path.startswith("rebalance.max_"))


def test_the_schema_says_the_same():
    schema = settings_schema()
    for each in described():
        place = schema
        for name in each.path.split("."):
            inner = place["properties"][name]
            reference = inner.get("$ref") or inner.get("allOf", [{}])[0].get("$ref")
            place = schema["$defs"][reference.rsplit("/", 1)[1]] if reference else inner
        assert (place["description"], place["unit"]) == (each.text, each.unit)


def test_weights_say_what_their_goal_means():
    told = {each.path: each for each in described()}
    for goal in Goal:
        setting, text = told[f"goals.{goal}"], GOAL_TEXTS[goal]
        assert setting.text == f"{text.meaning} {text.weight}"
        assert setting.unit == f"USD per {text.unit}"


def test_the_schema_knows_the_bounds_that_hold():
    percent = settings_schema()["$defs"]["RebalanceSettings"]["properties"]["drain_percent"]
    assert (percent["minimum"], percent["maximum"]) == (0, 100)
    assert "'ge'" not in str(settings_schema())
    assert "'le'" not in str(settings_schema())
