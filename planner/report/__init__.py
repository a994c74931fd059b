"""A plan as one HTML page that needs nothing else: no script, no font, no picture from outside."""

from planner.report.page import report_page

__all__ = ["report_page"]
