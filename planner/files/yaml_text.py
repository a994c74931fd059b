"""YAML text to plain data: PyYAML's C parser for the syntax, the core schema for the meaning."""

from dataclasses import dataclass

import yaml
from yaml._yaml import CParser

from models.errors import Fault, InputFault
from planner.files.core_schema import Scalar, plain, tagged

MAX_DEPTH = 100
"""The deepest document of ours has about eight levels; more is a mistake or an attack."""

MAX_FAULTS = 20
"""Faults told at once; a generator gone wrong would bring one a row."""

ALIASED_VALUES = 1_000_000
"""Values that aliases may add to any document; to a large one ``ALIASED_PER_VALUE`` of its own."""

ALIASED_PER_VALUE = 20
"""A large fleet may well merge a long ``<<: *defaults`` into each short row."""

_MERGE = "<<"
_MAPPING_TAGS = (None, "!", "tag:yaml.org,2002:map")
_LIST_TAGS = (None, "!", "tag:yaml.org,2002:seq")


def parse_yaml(text: str, name: str) -> list[object]:
    """Give the value of each document in ``text``; what an alias names is shared, not copied.

    Mappings keep the order of the text. Beyond the core schema there is the merge key ``<<``.

    Raises
    ------
    InputFault
        With line and column of each repeated key, key that is no text and unknown tag, and of
        what ends the reading: a syntax error, too deep nesting, or aliases that would expand to
        far more than is written. ``name`` is the path of the faults.
    """
    reader = _Reader(name, text)
    documents = []
    try:
        documents = reader.documents()
    except yaml.MarkedYAMLError as error:
        reader.faults.append(_syntax_fault(name, error))
    except yaml.reader.ReaderError as error:
        reader.faults.append(_character_fault(name, text, error.position))
    except _Stopped:
        pass
    if reader.faults:
        raise InputFault(reader.faults)
    return documents


class _Stopped(Exception):
    """Reading cannot go on; the reason is the last fault."""


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an anchor names: how many values it expands to, and how many levels deep."""

    value: object
    size: int
    height: int


class _Reader:
    """Builds values from the parser's events, depth first.

    Events, not PyYAML's nodes: to compose, resolve and construct those takes ten times as long as
    to parse, and they do not tell how far an alias expands.
    """

    def __init__(self, name: str, text: str) -> None:
        self.faults: list[Fault] = []
        self._name = name
        self._next = CParser(text).get_event
        self._depth = 0
        # The deepest level below the collection that is being read.
        self._reached = 0
        self._values = 0
        self._aliased = 0
        # None while the anchored collection is open.
        self._anchors: dict[str, _Anchored | None] = {}

    def documents(self) -> list[object]:
        """Give the values of all documents, in order."""
        found = []
        while (event := self._next()) is not None:
            if isinstance(event, yaml.DocumentStartEvent):
                self._anchors.clear()
                found.append(self._value(self._next()))
        return found

    def _value(self, event: yaml.Event | None) -> object:
        """Give the value that ``event`` begins, and read up to its end."""
        self._values += 1
        if isinstance(event, yaml.ScalarEvent):
            value: object = self._scalar(event)
            if event.anchor is not None:
                self._anchors[event.anchor] = _Anchored(value, 1, 0)
            return value
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        assert isinstance(event, yaml.CollectionStartEvent)
        return self._collection(event)

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        try:
            if event.tag is not None:
                return tagged(event.tag, event.value)
            return plain(event.value) if event.implicit[0] else event.value
        except ValueError as error:
            self._fault(event, str(error))
            return None

    def _alias(self, event: yaml.AliasEvent) -> object:
        anchor = event.anchor or ""
        shown = anchor[:60]
        if anchor not in self._anchors:
            raise self._stop(event, f"the alias *{shown} has no anchor &{shown} before it.")
        known = self._anchors[anchor]
        if known is None:
            raise self._stop(event, f"the alias *{shown} lies inside what it names.")
        self._reach(event, self._depth + known.height)
        self._aliased += known.size
        self._values += known.size
        written = self._values - self._aliased
        if self._aliased > max(ALIASED_VALUES, ALIASED_PER_VALUE * written):
            raise self._stop(event, "aliases expand to far more than is written; write less of it.")
        return known.value

    def _collection(self, event: yaml.CollectionStartEvent) -> object:
        self._depth += 1
        reached, self._reached = self._reached, 0
        self._reach(event, self._depth)
        before = self._values
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (_MAPPING_TAGS if is_mapping else _LIST_TAGS):
            self._fault(event, f"the tag {str(event.tag)[:80]!r} is not known; leave it out.")
        value = self._mapping() if is_mapping else self._list()
        if event.anchor is not None:
            height = self._reached - self._depth + 1
            self._anchors[event.anchor] = _Anchored(value, self._values - before + 1, height)
        self._reached = max(self._reached, reached)
        self._depth -= 1
        return value

    def _reach(self, event: yaml.Event, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise self._stop(event, f"is nested more than {MAX_DEPTH} levels deep.")
        self._reached = max(self._reached, depth)

    def _list(self) -> list[object]:
        values = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            values.append(self._value(event))
        return values

    def _mapping(self) -> dict[str, object]:
        mapping: dict[str, object] = {}
        merged: dict[str, object] | None = None
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            assert event is not None
            if _is_merge(event):
                if merged is not None:
                    self._fault(event, f"duplicate key {_MERGE!r}; merge a list of mappings.")
                merged = self._merged(event)
                continue
            key = self._value(event)
            if not isinstance(key, str):
                self._fault(event, f"the key {_brief(key)} is no text; write it in quotes.")
                key = _brief(key)
            elif key in mapping:
                self._fault(event, f"duplicate key {_brief(key)}; keep one of them.")
            mapping[key] = self._value(self._next())
        # What is written in the mapping itself wins, wherever the merge key stands.
        return mapping if merged is None else merged | mapping

    def _merged(self, key: yaml.Event) -> dict[str, object]:
        """Read the value of a merge key: one mapping, or several of which earlier ones win."""
        value = self._value(self._next())
        parts = value if isinstance(value, list) else [value]
        merged: dict[str, object] = {}
        for part in reversed(parts):
            if isinstance(part, dict):
                merged |= part
            else:
                self._fault(key, f"{_MERGE!r} takes a mapping or a list of mappings.")
        return merged

    def _fault(self, event: yaml.Event, message: str) -> None:
        mark = event.start_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        self.faults.append(Fault(self._name, place + message))
        if len(self.faults) >= MAX_FAULTS:
            raise _Stopped

    def _stop(self, event: yaml.Event, message: str) -> _Stopped:
        self._fault(event, message)
        return _Stopped()


def _is_merge(event: yaml.Event) -> bool:
    return isinstance(event, yaml.ScalarEvent) and event.value == _MERGE and event.implicit[0]


def _brief(value: object) -> str:
    """Give a value for a message: on one line, and not longer than a line."""
    text = "mapping" if isinstance(value, dict) else "list" if isinstance(value, list) else ""
    text = text or repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _syntax_fault(name: str, error: yaml.MarkedYAMLError) -> Fault:
    mark = error.problem_mark or error.context_mark
    place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    said = ", ".join(part for part in (error.context, error.problem) if part)
    return Fault(name, f"{place}is not YAML: {said}.")


def _character_fault(name: str, text: str, position: int) -> Fault:
    """Name a character that YAML does not allow; ``position`` counts bytes of UTF-8."""
    before = text.encode()[:position].decode(errors="ignore")
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    code = ord(text[len(before)])
    return Fault(
        name,
        f"line {line}, column {column}: the character U+{code:04X} may not stand in YAML; "
        "write it as an escape in double quotes.",
    )
