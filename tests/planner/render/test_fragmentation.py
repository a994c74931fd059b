"""Fragments as rows, as a table and for Prometheus."""

from planner.metrics import plan_metrics
from planner.render.fragmentation import fragmentation_rows, fragmentation_table
from rebalancer.room.fragments import Fragment

BEFORE = (
    Fragment("rack", None, 5, 3, 4, 2),
    Fragment("rack", "h100", 4, 3, 3, 1),
    Fragment("rack", "spare", 1, 1, 2, 1),
)
AFTER = (Fragment("rack", None, 2, 1, 1, 2), Fragment("rack", "h100", 2, 1, 1, 2))


def test_a_kind_of_which_nothing_is_left_is_shown_with_nothing():
    rows = fragmentation_rows(BEFORE, AFTER)
    assert [row["class"] for row in rows] == [None, "h100", "spare"]
    assert rows[2]["after"] == {
        "free": 0,
        "largestGang": 0,
        "largestGangWithNew": 0,
        "fragmented": 0,
        "score": 0,
    }
    assert rows[0]["before"] == {
        "free": 5,
        "largestGang": 3,
        "largestGangWithNew": 4,
        "fragmented": 2,
        "score": 0.4,
    }


def test_the_table_has_a_line_a_level_and_the_wide_one_every_kind():
    rows = fragmentation_rows(BEFORE, AFTER)
    assert fragmentation_table(rows, wide=False).rows == [("rack", "2", "1", "1", "2", "100.0%")]
    wide = fragmentation_table(rows, wide=True)
    assert wide.rows[0] == ("rack", "all", "2", "1", "1", "2", "100.0%", "5", "3", "40.0%")
    assert [row[1] for row in wide.rows] == ["all", "h100", "spare"]
    assert len(wide.headings) == len(wide.rows[0])


def test_prometheus_reads_what_the_plan_leaves():
    level = {"priority": 7, "asked": 9, "served": 8, "bound": 8, "gap": 0.25}
    text = plan_metrics(
        {"levels": [level], "fragmentation": fragmentation_rows(BEFORE, AFTER), "seconds": 1.5}
    )
    lines = text.splitlines()
    assert 'bigfleet_asked_machines{priority="7"} 9.0' in lines
    assert 'bigfleet_served_machines{priority="7"} 8.0' in lines
    assert 'bigfleet_gap_ratio{priority="7"} 0.25' in lines
    assert 'bigfleet_largest_gang_machines{class="",level="rack"} 1.0' in lines
    assert 'bigfleet_largest_gang_with_new_machines{class="h100",level="rack"} 1.0' in lines
    assert 'bigfleet_fragmented_machines{class="spare",level="rack"} 0.0' in lines
    assert 'bigfleet_free_machines{class="h100",level="rack"} 2.0' in lines
    assert "bigfleet_solve_seconds 1.5" in lines
