"""Import AWS price lists as elastic machines that could be bought."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from models.errors import Fault, InputFault
from models.labels import REGION, ZONE
from planner.importers.gpu_models import GPU_MODEL_LABEL, mapping_lines, model_of
from planner.importers.imported import Imported, ImportNotes, Row, fleet_document
from planner.importers.reading import read_table
from providers.prices import Offer, Prices, aws_on_demand, aws_spot

DEFAULT_TYPES = (
    "g4dn.12xlarge", "g4dn.metal", "g5.12xlarge", "g5.48xlarge", "p3dn.24xlarge",
    "m5.8xlarge", "m5.24xlarge", "r5.8xlarge", "r5.24xlarge", "m6i.32xlarge", "r6i.32xlarge",
)  # fmt: skip
"""Types with T4, A10 and V100 GPUs, and without: the smallest of each that an OpenB node of that
kind fits on, and a larger one."""

DEFAULT_ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")

MOST_SLOTS = 1_000_000
"""Slots of one type in one zone; a fleet holds at most 10,000,000 machines in all."""

_GPU_NAME = "karpenter.k8s.aws/instance-gpu-name"
_GPU_MEMORY = "karpenter.k8s.aws/instance-gpu-memory"


@dataclass(frozen=True, slots=True)
class Quota:
    """What may be bought: ``slots`` machines of each type, zone and way to pay.

    ``types`` empty means every type that the lists know in the region.
    """

    types: tuple[str, ...] = DEFAULT_TYPES
    zones: tuple[str, ...] = DEFAULT_ZONES
    slots: int = 2


def import_prices(
    folder: Path, *, provider: str = "aws", region: str = "us-east-1", quota: Quota | None = None
) -> Imported:
    """Give SPECULATIVE machines, on-demand and spot, one row for each type, zone and way to pay.

    ``folder`` holds ``prices/aws_on_demand.csv``, ``prices/aws_instance_types.csv`` and
    ``spot/aws_spot_advisor.csv.gz``.

    Raises
    ------
    InputFault
        When a file cannot be read, or a type has no price in the region.
    """
    allowed = quota or Quota()
    _check_request(provider, allowed)
    on_demand, spot = _read(folder)
    offers = [
        offer
        for offer in (*on_demand.offers, *spot.offers)
        if offer.region == region and (not allowed.types or offer.instance_type in allowed.types)
    ]
    _check_offers(offers, region, allowed)
    offers.sort(key=lambda offer: (offer.instance_type, offer.capacity_type))
    rows = [_row(offer, zone, allowed.slots) for offer in offers for zone in allowed.zones]
    return Imported(
        fleet_document(f"{provider}-{region}", rows),
        ImportNotes(
            read=_sources(folder, on_demand, spot),
            skipped=_skipped(on_demand, spot, len(offers)),
            assumed=_assumptions(region, allowed),
            made=(
                f"{len(rows)} rows of {allowed.slots} machines each, from {len(offers)} offers.",
                *_without_spot(offers),
            ),
        ),
    )


def _check_request(provider: str, quota: Quota) -> None:
    faults = []
    if provider != "aws":
        faults.append(Fault("provider", f"{provider!r} has no importer; known is aws."))
    if not 1 <= quota.slots <= MOST_SLOTS:
        faults.append(Fault("slots", f"{quota.slots} is not between 1 and {MOST_SLOTS}."))
    if not quota.zones or len(set(quota.zones)) < len(quota.zones):
        faults.append(Fault("zones", "name at least one zone, and each once."))
    if faults:
        raise InputFault(faults)


def _check_offers(offers: Sequence[Offer], region: str, quota: Quota) -> None:
    known = {offer.instance_type for offer in offers}
    faults = [
        Fault("types", f"{name!r} has no price in {region}; leave it out or mend the list.")
        for name in sorted(set(quota.types) - known)
    ]
    if not offers and not faults:
        faults = [Fault("region", f"{region!r} has no price in USD in the list.")]
    if faults:
        raise InputFault(faults)


def _read(folder: Path) -> tuple[Prices, Prices]:
    prices, types, advisor = _files(folder)
    on_demand = aws_on_demand(read_table(prices), read_table(types))
    return on_demand, aws_spot(read_table(prices), read_table(types), read_table(advisor))


def _files(folder: Path) -> tuple[Path, Path, Path]:
    prices = folder / "prices"
    advisor = folder / "spot" / "aws_spot_advisor.csv.gz"
    return prices / "aws_on_demand.csv", prices / "aws_instance_types.csv", advisor


def _row(offer: Offer, zone: str, slots: int) -> Row:
    labels = {**offer.labels, REGION: offer.region, ZONE: zone}
    model = _model(offer)
    if model is not None:
        labels[GPU_MODEL_LABEL] = model
    return {
        "id": f"{offer.provider}-{zone}-{offer.instance_type}-{offer.capacity_type}-{{}}",
        "count": slots,
        "provider": offer.provider,
        "state": "SPECULATIVE",
        "instanceType": offer.instance_type,
        "capacityType": offer.capacity_type,
        "pricePerHour": offer.price_per_hour,
        "interruptionProbability": offer.interruption_probability,
        "resources": dict(offer.resources),
        "labels": labels,
    }


def _model(offer: Offer) -> str | None:
    memory = offer.labels.get(_GPU_MEMORY, "")
    return model_of(offer.labels.get(_GPU_NAME, ""), int(memory) if memory.isdecimal() else 0)


def _sources(folder: Path, on_demand: Prices, spot: Prices) -> tuple[str, ...]:
    prices, types, advisor = _files(folder)
    return (
        f"{prices} and {types}: {len(on_demand.offers)} on-demand offers.",
        f"{advisor}: {len(spot.offers)} spot offers, at on-demand price x (1 - savings).",
    )


def _skipped(on_demand: Prices, spot: Prices, used: int) -> dict[str, int]:
    skipped = {f"on-demand: {why}": count for why, count in on_demand.skipped.items()}
    skipped |= {f"spot: {why}": count for why, count in spot.skipped.items()}
    others = len(on_demand.offers) + len(spot.offers) - used
    return skipped | {"offer of another region, or of a type not asked for": others}


def _assumptions(region: str, quota: Quota) -> tuple[str, ...]:
    return (
        f"a quota of {quota.slots} machines for each type, way to pay and zone "
        f"({', '.join(quota.zones)}).",
        f"prices and interruption rates of {region} hold in each of these zones; the lists name "
        "no zone.",
        "the monthly interruption rate of a band is its middle (25 % for the last, open one), an "
        "hour's probability is 1 - (1 - rate) ** (1 / 730).",
        "resources are those of the whole machine; nothing is set aside for the system.",
        *mapping_lines(),
    )


def _without_spot(offers: Sequence[Offer]) -> list[str]:
    ways: dict[str, set[str]] = {}
    for offer in offers:
        ways.setdefault(offer.instance_type, set()).add(offer.capacity_type)
    return [
        f"{name} is offered {', '.join(sorted(kinds))} only."
        for name, kinds in sorted(ways.items())
        if len(kinds) == 1
    ]
