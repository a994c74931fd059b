"""The documents of a file: Fleet, Settings, Scenario or Plan, from YAML, JSON or Parquet."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from models.errors import Fault, InputFault
from models.rows import API_VERSION
from planner.files.json_text import parse_json
from planner.files.parquet_rows import parse_parquet
from planner.files.source import Source, read_source, refusal, shown
from planner.files.yaml_text import parse_yaml

_PARQUET_MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True)
class Document:
    """One document as plain data, not yet looked at but for its kind.

    Attributes
    ----------
    kind
        What the document calls itself, "" if it does not say so in a text.
    body
        All fields, ``kind`` and ``apiVersion`` among them. Aliases share objects: do not change.
    path
        The file's name as the user gave it, ``<stdin>`` for standard input: the start of the
        path of each fault.
    position
        Among the documents of the file, from 0.
    """

    kind: str
    body: dict[str, object]
    path: str
    position: int


def read_document(path: str | Path) -> Document:
    """Read a file that holds one document; see ``read_documents``.

    Raises
    ------
    InputFault
        Also when it holds several.
    """
    documents = read_documents(path)
    if len(documents) > 1:
        raise refusal(documents[0].path, f"holds {len(documents)} documents; one is expected.")
    return documents[0]


def read_documents(path: str | Path) -> list[Document]:
    """Read all documents of a file, or of standard input for ``-``: one or more, in order.

    The extension says the format; without a known one the content does. Empty documents are left
    out. A Parquet file is a Fleet that says nothing of needs. Where ``machines`` is a text, it
    names a file of rows, relative to the document's folder, and is replaced by these.

    Raises
    ------
    InputFault
        When the file cannot be read as its format, or a document is no mapping.
    """
    source = read_source(path)
    found = []
    faults = []
    for position, value in enumerate(_values(source, Path(path).suffix.lower())):
        if value is None:
            continue
        if not isinstance(value, dict):
            message = f"document {position + 1} is {_named(value)}; a mapping is expected."
            faults.append(Fault(source.name, message))
            continue
        if isinstance(value.get("machines"), str):
            value = value | {"machines": _referred(value["machines"], path, source.name)}
        kind = value.get("kind")
        text = kind if isinstance(kind, str) else ""
        found.append(Document(text, value, source.name, position))
    if faults:
        raise InputFault(faults)
    if not found:
        raise refusal(source.name, "is empty.")
    return found


def read_rows(path: str | Path) -> list[object]:
    """Read a file that is a list: a Parquet file's rows, or the list in a YAML or JSON file.

    Raises
    ------
    InputFault
        When the file cannot be read as its format, or is no list.
    """
    source = read_source(path)
    if _format(source, Path(path).suffix.lower()) == "parquet":
        return list(parse_parquet(source))
    values = [value for value in _values(source, Path(path).suffix.lower()) if value is not None]
    if len(values) != 1 or not isinstance(values[0], list):
        named = _named(values[0]) if len(values) == 1 else f"{len(values)} documents"
        raise refusal(source.name, f"is {named}; a list of rows is expected.")
    return values[0]


def _referred(reference: str, path: str | Path, name: str) -> list[object]:
    # Never "-": joined to a folder, even to ".", it is a file of that name.
    folder = os.path.dirname(path) or "."
    try:
        return read_rows(os.path.join(folder, reference))
    except InputFault as fault:
        raise fault.within(f"{name}: machines") from None


def _values(source: Source, extension: str) -> list[object]:
    match _format(source, extension):
        case "parquet":
            body = {"apiVersion": API_VERSION, "kind": "Fleet", "machines": parse_parquet(source)}
            return [body]
        case "json":
            return [parse_json(source.text(), source.name)]
        case "yaml":
            return parse_yaml(source.text(), source.name)
        case _:
            return _sniffed(source.text(), source.name)


def _sniffed(text: str, name: str) -> list[object]:
    """Read text of unknown format: JSON if it is that, which is ten times faster, else YAML."""
    if text.lstrip()[:1] in ("{", "["):
        # What is wrong with it as JSON is wrong with it as YAML too, or it is YAML.
        with suppress(InputFault):
            return [parse_json(text, name)]
    return parse_yaml(text, name)


def _format(source: Source, extension: str) -> str:
    formats = {".yaml": "yaml", ".yml": "yaml", ".json": "json", ".parquet": "parquet"}
    if extension in formats:
        return formats[extension]
    return "parquet" if source.content.startswith(_PARQUET_MAGIC) else ""


def _named(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return f"the value {shown(str(value))[:60]!r}"
