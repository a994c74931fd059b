"""Open a file that describes simulated providers: the machines and knobs of one of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from models.documents import fleet_from
from models.documents.faults import shown
from models.errors import Fault, InputFault
from models.nearest import did_you_mean
from models.rows import FleetRows
from planner.files import Document, read_documents
from providers.simulated.knobs import Knobs, knobs_from

KINDS = ("Scenario", "Fleet")

_NOT_OF_A_FLEET = ("duration", "seed", "settings", "providers", "events")
"""Fields of a Scenario beyond those of a Fleet. Here only seed and providers are read."""


@dataclass(frozen=True, slots=True)
class SimulatedWorld:
    """One simulated provider of a file; ``rows`` are the machines of all."""

    provider: str
    rows: FleetRows
    knobs: Knobs
    seed: int
    has_events: bool


def open_world(path: str, provider: str | None = None, seed: int | None = None) -> SimulatedWorld:
    """Read a Scenario, or a Fleet with ``providers:``, and choose one of its providers.

    ``provider`` may be left out where there is one only; ``seed`` goes before the file's own.

    Raises
    ------
    InputFault
        With every fault, each path beginning with the file.
    """
    document = _one(read_documents(path))
    body, faults = document.body, list[Fault]()
    head = {key: value for key, value in body.items() if key not in _NOT_OF_A_FLEET}
    rows = FleetRows()
    try:
        rows = fleet_from(head | {"kind": "Fleet"}, datetime.now(UTC))
    except InputFault as fault:
        faults += fault.faults
    knobs = _knobs(body.get("providers"), faults)
    told = _seed(body.get("seed"), faults)
    # Which providers there are is only known of machines that could be read.
    name = provider or "" if faults else _chosen(provider, rows, knobs, faults)
    if faults:
        raise InputFault(faults).within(document.path)
    return SimulatedWorld(
        provider=name,
        rows=rows,
        knobs=knobs.get(name, Knobs()),
        seed=told if seed is None else seed,
        has_events=bool(body.get("events")),
    )


def _one(documents: list[Document]) -> Document:
    """Give the one document that describes a world; settings beside it are no concern of ours."""
    worlds = [document for document in documents if document.kind != "Settings"]
    path = documents[0].path
    for document in worlds:
        if document.kind not in KINDS:
            said = f"{shown(document.kind)} is not one of {', '.join(KINDS)}."
            raise InputFault([Fault(f"{path}: kind", said)])
    if len(worlds) != 1:
        said = f"holds {len(worlds)} documents of kind {' or '.join(KINDS)}; one is expected."
        raise InputFault([Fault(path, said)])
    return worlds[0]


def _knobs(providers: object, faults: list[Fault]) -> dict[str, Knobs]:
    if providers is None:
        return {}
    if not isinstance(providers, Mapping):
        faults.append(Fault("providers", f"{shown(providers)} is not a mapping of providers."))
        return {}
    found = {}
    for name, knobs in providers.items():
        try:
            found[str(name)] = knobs_from(knobs, f"providers.{name}")
        except InputFault as fault:
            faults += fault.faults
    return found


def _seed(seed: object, faults: list[Fault]) -> int:
    if isinstance(seed, int) and not isinstance(seed, bool):
        return seed
    if seed is not None:
        faults.append(Fault("seed", f"{shown(seed)} is not a whole number."))
    return 0


def _chosen(
    provider: str | None, rows: FleetRows, knobs: Mapping[str, Knobs], faults: list[Fault]
) -> str:
    """Give the provider that is meant; "" and a fault where that is none."""
    known = sorted({row.provider for row in rows.machines} | set(knobs))
    if provider is None and len(known) == 1:
        return known[0]
    if provider in known:
        return str(provider)
    if provider is not None:
        said = f"there is no provider {shown(provider)}{did_you_mean(provider, known)}"
    elif known:
        said = f"there are several, {', '.join(known[:8])}; say which with --provider."
    else:
        said = "there is none, and no machine."
    faults.append(Fault("providers", said))
    return ""
