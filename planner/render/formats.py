"""The output formats, and one answer in any of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from planner.render.printable import printable
from planner.render.screen import Screen
from planner.render.table import Table
from planner.render.terminal import draw

Part = Table | str


class Format(StrEnum):
    """How an answer is written; the value is the word after ``-o``."""

    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    NAME = "name"
    HTML = "html"
    SUMMARY = "summary"
    METRICS = "metrics"


def _none() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a verb found, ready to be written in any format.

    Attributes
    ----------
    tree
        Plain data, for JSON and YAML.
    names
        What was acted on, for ``name``.
    parts
        Gives the tables and sentences for people; called with True for ``wide``.
    page, metrics
        Give the HTML page, and the text for Prometheus, for verbs that have them.
    """

    tree: Mapping[str, object]
    names: Callable[[], Sequence[str]]
    parts: Callable[[bool], Sequence[Part]]
    page: Callable[[], str] = _none
    metrics: Callable[[], str] = _none


def written(answer: Answer, form: Format, screen: Screen) -> str:
    """Give the whole text of an answer, its last line ended."""
    match form:
        case Format.TABLE | Format.WIDE | Format.SUMMARY:
            return draw(answer.parts(form is Format.WIDE), screen)
        case Format.JSON:
            from planner.files import dump_json

            return _without_controls(dump_json(answer.tree))
        case Format.YAML:
            from planner.files import dump_yaml

            return _without_controls(dump_yaml(answer.tree))
        case Format.NAME:
            return "".join(f"{printable(name)}\n" for name in answer.names())
        case Format.HTML:
            return answer.page()
        case Format.METRICS:
            return answer.metrics()


# Neither format asks for these to be escaped, but a terminal may obey them. Both write them in
# double quotes only, where both read the escape.
_CONTROLS = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def _without_controls(text: str) -> str:
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
