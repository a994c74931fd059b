"""The page: well-formed, self-contained, and deaf to markup in names."""

import re
from html.parser import HTMLParser

import pytest

from planner.render.summary import Purchase, Summary
from planner.report import report_page

EVIL = "</style><script>alert(1)</script><img src=x onerror='1'>&\"\x1b[31m"

SUMMARY = Summary(EVIL, 2, 3, 4, 50, 40, 30, 1, 10.0, 35.5, (Purchase(3, EVIL, "spot", 8.5),))

TREE = {
    "snapshot": "abc", "settings": "def", "seed": 7, "outcome": "FEASIBLE", "seconds": 1.5,
    "levels": [
        {"priority": 900000, "asked": 10, "served": 9, "bound": 10, "gap": 0.1},
        {"priority": -5, "asked": 9223372036854775807, "served": 0, "bound": 0, "gap": 0.0},
    ],
    "actions": [
        {"action": "drain", "shard": EVIL, "machine": EVIL, "cluster": EVIL, "need": EVIL,
         "graceSeconds": 30, "reason": EVIL},
    ],
    "moves": [
        {"id": "m1", "unit": "u1", "window": 0, "kind": "transfer-idle", "class": EVIL, "count": 1,
         "machines": [EVIL], "from": EVIL, "to": EVIL, "need": EVIL, "reason": EVIL,
         "preconditions": [EVIL], "expires": 30},
    ],
    "unmet": [{"need": EVIL, "count": 3, "reason": "CapacityExhausted"}],
    "displaced": [{"need": EVIL, "count": 2}],
    "goals": {"moves": {"weight": 0.1, "before": 0, "after": 1, "cost": 0.1, "bound": None}},
}  # fmt: skip

COUNTS = {"free": 5, "largestGang": 3, "largestGangWithNew": 4, "fragmented": 2, "score": 0.4}
TREE["fragmentation"] = [{"level": EVIL, "class": None, "before": COUNTS, "after": COUNTS}]
EMPTY = TREE | {
    key: [] for key in ("levels", "actions", "moves", "unmet", "displaced", "fragmentation")
}


class Tags(HTMLParser):
    """Collects the tags of a page and checks that each is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        self.attributes.update(name for name, _ in attributes)
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)
        self.attributes.update(name for name, _ in attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parsed(page: str) -> Tags:
    tags = Tags()
    tags.feed(page)
    tags.close()
    assert tags.open == []
    return tags


@pytest.mark.parametrize("tree", [TREE, EMPTY, TREE | {"conflicts": [EVIL]}])
def test_the_page_is_well_formed_and_holds_no_foreign_markup(tree):
    page = report_page(tree, SUMMARY)
    tags = parsed(page)
    assert not {"script", "img", "link", "iframe", "object"} & set(tags.seen)
    assert not {"src", "href", "onerror", "style"} & tags.attributes
    assert "\x1b" not in page


def test_the_page_needs_nothing_from_outside():
    page = report_page(TREE, SUMMARY)
    assert not re.search(r"https?:|url\(|@import", page)


def test_the_page_says_what_the_plan_does():
    page = report_page(TREE, SUMMARY)
    for said in (
        "9 of 10, 1 short", "$10.00", "$35.50", "+25.50", "CapacityExhausted", "transfer-idle",
        "10.00%", "$25.50", "FEASIBLE", "seed 7",
    ):  # fmt: skip
        assert said in page
    for heading in ("Served by priority", "Orders of the cycle", "Bought", "Moves",
                    "Needs that lose machines", "Still short, and why", "Goals"):  # fmt: skip
        assert f"<h2>{heading}</h2>" in page


def test_bars_stay_on_the_page():
    page = report_page(TREE, SUMMARY)
    ends = [
        float(x) + float(width)
        for x, width in re.findall(r'<rect [^>]*x="([\d.]+)"[^>]*width="([\d.]+)"', page)
    ]
    assert ends
    assert max(ends) <= 1000


def test_an_empty_plan_says_so():
    page = report_page(EMPTY, SUMMARY)
    for said in ("Nobody asks for a machine.", "Nothing to do.", "No machine moves.",
                 "Nothing stays short."):  # fmt: skip
        assert said in page
