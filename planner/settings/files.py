"""The settings in a file, which may be a settings file or a fleet file; and all that is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.errors import Fault, InputFault
from models.settings import leaves, recorded, settings_from
from models.settings.oddities import Oddity, oddities
from models.settings.paths import without_nulls
from planner.files import Document, read_documents
from planner.settings.layers import Layered, Sources, layered


@dataclass(frozen=True, slots=True)
class Checked:
    """A file that was looked through: what must be mended, and what is hardly meant."""

    file: str
    faults: Sequence[Fault]
    warnings: Sequence[Oddity]


def settings_in(path: str) -> Document | None:
    """Give the document of settings of a file; None where a fleet stands there alone.

    A document that is alone and says no kind is taken for settings.

    Raises
    ------
    InputFault
        When the file cannot be read, holds several of them or documents of another kind.
    """
    documents = read_documents(path)
    if len(documents) == 1 and not documents[0].kind and "kind" not in documents[0].body:
        return documents[0]
    inner = [document for document in documents if document.kind == "Settings"]
    faults = [
        Fault(f"{each.path}: kind", f"{each.kind[:60]!r} is not Fleet or Settings.")
        for each in documents
        if each.kind not in ("Fleet", "Settings")
    ]
    if len(inner) > 1:
        said = f"holds {len(inner)} documents of kind Settings; one at most is expected."
        faults.append(Fault(documents[0].path, said))
    if faults:
        raise InputFault(faults)
    return inner[0] if inner else None


def open_layers(paths: Sequence[str], sources: Sources) -> Layered:
    """Put the settings of files over each other, then those of ``sources``.

    Raises
    ------
    InputFault
        With every fault of all of them.
    """
    faults: list[Fault] = []
    documents = []
    for path in paths:
        try:
            documents.append(settings_in(path))
        except InputFault as fault:
            faults += fault.faults
    told = layered([each for each in documents if each is not None], sources, faults)
    if faults:
        raise InputFault(faults)
    return told


def check_file(path: str) -> Checked:
    """Give all that is wrong and all that is odd about the settings of a file."""
    try:
        document = settings_in(path)
        if document is None:
            return Checked(path, (), [Oddity("", None, "there are no settings in this file.")])
        try:
            settings = settings_from(document.body)
        except InputFault as fault:
            raise fault.within(document.path) from None
    except InputFault as fault:
        return Checked(path, fault.faults, ())
    return Checked(path, (), [*oddities(settings), *_unset(document)])


def _unset(document: Document) -> list[Oddity]:
    """Give the sources that a sound document records for what it does not set."""
    said = {path for path, _ in leaves(without_nulls(document.body))}
    return [
        Oddity(f"metadata.sources.{path}", source, "the file does not set this.")
        for path, source in (recorded(document.body).sources or {}).items()
        if path not in said
    ]
