"""The page of a sweep: well-formed, self-contained, every trial in it; and its picture."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from models.rules import Goal
from planner.render.printable import printable
from planner.report.markup import MOST_ROWS
from planner.report.tune_page import tune_page
from planner.report.tune_picture import Point, trade_off
from planner.tune.judgement import judged
from planner.tune.space import Range
from planner.tune.trial import Result, Trial
from planner.tune.tuned import Tuned
from tests.planner.tune.worlds import COST, READY, by_formula, effect

EVIL = '</style><script>alert(1)</script>&"\x1b[31m$x$'
WEIGHTS = dict.fromkeys(Goal, 1.0)


def swept(results, name="fleet.yaml") -> Tuned:
    ranges = (Range(COST, 0, 1, 2, False), Range(READY, 0, 1, 2, False))
    return Tuned([(name, "abc")], ranges, WEIGHTS, judged(results, WEIGHTS))


def many(count: int) -> list[Result]:
    return [by_formula(Trial(n, {COST: 1.0, READY: n / count})) for n in range(1, count + 1)]


class Tags(HTMLParser):
    """Collects tags and checks that each is closed in order."""

    VOID = ("meta", "br")

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_loads_nothing():
    page = tune_page(swept(many(9), EVIL))
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert {"svg", "table", "style"} <= set(tags.seen)
    assert not {"script", "img", "link", "iframe"} & set(tags.seen)
    # Names of namespaces are no places to fetch from.
    outside = re.sub(r'xmlns(:\w+)?="[^"]*"|rdf:\w+="[^"]*"', "", page)
    assert "http" not in outside
    assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)"', page))
    assert "\x1b" not in page


def test_every_trial_is_in_it_however_many():
    count = MOST_ROWS + 50
    page = tune_page(swept(many(count)))
    section = page[page.index("Every trial") :]
    assert section.count("<tr>") == count + 1
    assert "more rows" not in section


def test_where_nothing_is_traded_there_is_no_picture():
    page = tune_page(swept([Result(Trial(1, {COST: 1.0, READY: 1.0}), (effect({}),))]))
    assert "<svg" not in page
    assert "no trade-off to draw" in page


POINTS = (
    Point(0, 9, 3, True, False, True, "trial 1: a"),
    Point(1, 2, 1, True, True, False, "trial 2: b"),
    Point(5, 1, 60, True, False, False, "trial 3: c"),
    Point(6, 8, 1, False, False, False, "trial 4: d"),
)


def words(picture: str) -> list[str]:
    root = ElementTree.fromstring(picture)
    return [e.text.strip() for e in root.iter() if e.tag.endswith("}text") and e.text]


def test_the_picture_names_axes_knee_and_present_weights():
    shown = words(trade_off(POINTS, "cost (small)", "time (small)"))
    for word in ("cost (small)", "time (small)", "knee", "present weights", "front"):
        assert word in shown
    assert {"trial 1: a", "trial 2: b"} < set(shown)
    assert not {"trial 3: c", "trial 4: d"} & set(shown)


def test_the_same_points_give_the_same_picture():
    assert trade_off(POINTS, "x", "y") == trade_off(POINTS, "x", "y")


@pytest.mark.parametrize("label", ["a & b < c", "$\\frac{", "\x1b[31m"])
def test_labels_are_text_and_nothing_else(label):
    point = Point(1, 1, 1, True, True, True, label)
    shown = words(trade_off([point], label, "y"))
    assert shown.count(printable(label)) == 2
