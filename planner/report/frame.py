"""The frame of every page: one HTML text that loads nothing."""

from planner.report.markup import escaped
from planner.report.style import STYLE


def framed(title: str, body: str) -> str:
    """Give the whole page; ``body`` is HTML."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )
