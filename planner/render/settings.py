"""Settings, what is wrong or odd about them and where they differ, as answers for every format."""

import json
from collections.abc import Sequence
from typing import Any

from models.settings import leaves, settings_document, settings_file, settings_hash
from models.settings.described import described
from models.settings.difference import Difference, common_factor, differences
from planner.render.formats import Answer, Part
from planner.render.table import Table, or_dash
from planner.settings.files import Checked
from planner.settings.layers import DEFAULT, Layered, Origin


def settings_answer(told: Layered) -> Answer:
    """Give every setting with its value, default, unit and origin."""
    values = dict(leaves(settings_document(told.settings)))
    rows = [
        {
            "path": each.path,
            "value": values[each.path],
            "default": each.default,
            "unit": each.unit or None,
            "source": _origin(told, each.path).source,
            "recorded": _origin(told, each.path).recorded or None,
            "text": each.text,
        }
        for each in described()
    ]

    def parts(wide: bool) -> list[Part]:
        headings = ("SETTING", "VALUE", "DEFAULT", "UNIT", "FROM")
        cells = [
            (
                row["path"],
                plain_value(row["value"]),
                plain_value(row["default"]),
                or_dash(row["unit"]),
                _where(_origin(told, row["path"])),
                *((row["text"],) if wide else ()),
            )
            for row in rows
        ]
        return [Table("Settings", (*headings, *(("WHAT IT DOES",) if wide else ())), cells)]

    tree = {"settings": settings_hash(told.settings), "values": rows}
    return Answer(tree, lambda: [row["path"] for row in rows], parts)


def settings_file_answer(told: Layered) -> Answer:
    """Give a document of kind Settings that records where its values came from."""
    return Answer(settings_file(told.settings, told.firsts()), list, lambda wide: [])


def checked_answer(checked: Sequence[Checked]) -> Answer:
    """Give for each file what is wrong and what is odd; its names are the files at fault."""
    tree = {
        "files": [
            {
                "file": each.file,
                "faults": [{"path": one.path, "message": one.message} for one in each.faults],
                "warnings": [
                    {"path": one.path, "value": one.value, "message": one.message}
                    for one in each.warnings
                ],
            }
            for each in checked
        ]
    }

    def parts(wide: bool) -> list[Part]:
        counts = [(each.file, str(len(each.faults)), str(len(each.warnings))) for each in checked]
        warnings = [
            (each.file, or_dash(odd.path), plain_value(odd.value) if odd.path else "-", odd.message)
            for each in checked
            for odd in each.warnings
        ]
        numbers = frozenset({"FAULTS", "WARNINGS"})
        return [
            Table("Files", ("FILE", "FAULTS", "WARNINGS"), counts, "", numbers),
            Table("Warnings", ("FILE", "SETTING", "VALUE", "WHY"), warnings),
        ]

    return Answer(tree, lambda: [each.file for each in checked if each.faults], parts)


def difference_answer(names: tuple[str, str], sides: tuple[Layered, Layered]) -> Answer:
    """Give where two sets of settings differ and what that means; its names are the settings."""
    before, after = sides
    found = differences(before.settings, after.settings)
    factor = common_factor(before.settings, after.settings)
    tree = {
        "a": names[0],
        "b": names[1],
        "goalsFactor": factor,
        "differences": [
            {
                "path": each.path,
                "a": each.before,
                "b": each.after,
                "sourceA": _where(_origin(before, each.path)),
                "sourceB": _where(_origin(after, each.path)),
                "meaning": each.meaning,
            }
            for each in found
        ],
    }

    def parts(wide: bool) -> list[Part]:
        more = ("A FROM", "B FROM") if wide else ()
        rows = [
            (
                each.path,
                plain_value(each.before),
                plain_value(each.after),
                *((_where(_origin(side, each.path)) for side in sides) if wide else ()),
                each.meaning,
            )
            for each in found
        ]
        title = f"A: {names[0]}, B: {names[1]}"
        headings = ("SETTING", "A", "B", *more, "WHAT IT MEANS")
        table = Table(title, headings, rows, "No setting differs.")
        return [table, *_goals_sentence(found, factor)]

    return Answer(tree, lambda: [each.path for each in found], parts)


def plain_value(value: Any) -> str:
    """Give a value for a cell, as it is typed after ``--set PATH=``: ``5m``, ``["gpu"]``."""
    if isinstance(value, str):
        return or_dash(value)
    return json.dumps(_whole(value))


def _whole(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_whole(each) for each in value]
    # From 1e16 on Python writes an exponent, and no digits that nobody gave.
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return int(value)
    return value


def _goals_sentence(found: Sequence[Difference], factor: float | None) -> list[Part]:
    if not found or factor is None:
        return []
    if factor == 1:
        return ["Goals are weighed alike."]
    return [
        f"All goals weigh {factor:.4g} times as much, and only their ratios count: "
        "by the goals, plans stay the same."
    ]


def _origin(told: Layered, path: str) -> Origin:
    return told.origins.get(path, Origin(DEFAULT))


def _where(origin: Origin) -> str:
    return f"{origin.source} ({origin.recorded})" if origin.recorded else origin.source
