"""Published price lists of the clouds, as offers: one instance type in one region, one way to pay.

Each reader takes tables that somebody else opened, and gives the offers with a count of the rows it
left out, by reason. A table that is not what it should be raises ``models.errors.InputFault``.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from models.cost import hourly_probability
from models.labels import ARCH, QUOTA, REGION
from models.quantity import format_quantity, parse_quantity
from providers.convert import CsvTable, Faults, Row, read_rows

ON_DEMAND = "on-demand"
SPOT = "spot"

BAND_MONTHLY = (0.025, 0.075, 0.125, 0.175, 0.25)
"""AWS spot advisor's bands (<5 %, 5-10, 10-15, 15-20, >20 % a month) as probabilities a month.

The middle of each band; the last one is open, and a quarter is our reading of it.
"""

_AWS_LABELS = {
    "category": "karpenter.k8s.aws/instance-category",
    "family": "karpenter.k8s.aws/instance-family",
    "generation": "karpenter.k8s.aws/instance-generation",
    "size": "karpenter.k8s.aws/instance-size",
    "cpu_manufacturer": "karpenter.k8s.aws/instance-cpu-manufacturer",
    "hypervisor": "karpenter.k8s.aws/instance-hypervisor",
    "local_nvme_gb": "karpenter.k8s.aws/instance-local-nvme",
    "gpu_name": "karpenter.k8s.aws/instance-gpu-name",
    "gpu_manufacturer": "karpenter.k8s.aws/instance-gpu-manufacturer",
    "gpu_memory_mib": "karpenter.k8s.aws/instance-gpu-memory",
    "accelerator_name": "karpenter.k8s.aws/instance-accelerator-name",
}
"""Columns of the AWS type table, and the labels karpenter's AWS provider gives a node for them."""

_GKE_ACCELERATORS = {
    "a100": "nvidia-tesla-a100",
    "a100-80gb": "nvidia-a100-80gb",
    "h100-80gb": "nvidia-h100-80gb",
    "h100-80gb-mega": "nvidia-h100-mega-80gb",
    "l4": "nvidia-l4",
    "rtx6000": "nvidia-rtx-pro-6000",
}
"""Columns of the GCP type table, and the values GKE gives ``cloud.google.com/gke-accelerator``."""

_GCP_ARM_FAMILIES = frozenset({"t2a", "c4a", "n4a", "a4x"})
"""Families on Arm (Ampere, Axion, Grace) according to Google's machine documentation."""

_NO_TYPE = "the instance type is not in the table of types"
_NO_MEMORY = "the table of types gives its memory as 0"


@dataclass(frozen=True, slots=True)
class Offer:
    """One instance type that can be had in one region in one way.

    ``price_per_hour`` is in USD, None when unknown; ``interruption_probability`` is per hour;
    ``resources`` are Kubernetes quantities of the whole machine, nothing set aside.
    """

    provider: str
    instance_type: str
    region: str
    capacity_type: str
    price_per_hour: float | None
    interruption_probability: float
    resources: dict[str, str]
    labels: dict[str, str]


@dataclass(frozen=True, slots=True)
class Prices:
    """What a price list held: the offers in its order, and the rows left out, by reason."""

    offers: tuple[Offer, ...]
    skipped: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Type:
    """What a type table knows of an instance type."""

    resources: dict[str, str]
    labels: dict[str, str]
    quota: str = ""


@dataclass(frozen=True, slots=True)
class _Terms:
    """How an offer is paid for."""

    capacity_type: str
    price: Decimal | None
    interruption_probability: float = 0.0


@dataclass(slots=True)
class _Reading:
    """Offers and rows left out so far, of one provider."""

    provider: str
    faults: Faults = field(default_factory=Faults)
    offers: list[Offer] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    seen: dict[tuple[str, ...], str] = field(default_factory=dict)

    def repeats(self, row: Row, *key: str) -> bool:
        """Note a fault when an earlier row said the same thing about the same offer."""
        first = self.seen.setdefault(key, row.path)
        if first != row.path:
            self.faults.add(row.path, f"{' '.join(key)} was already given in {first}; keep one.")
        return first != row.path

    def offer(self, name: str, region: str, kind: _Type, terms: _Terms) -> None:
        labels = {REGION: region, **kind.labels}
        if kind.quota:
            labels[QUOTA] = f"{self.provider}.{region}.{kind.quota}"
        price = None if terms.price is None else float(terms.price)
        self.offers.append(
            Offer(
                provider=self.provider,
                instance_type=name,
                region=region,
                capacity_type=terms.capacity_type,
                price_per_hour=price,
                interruption_probability=terms.interruption_probability,
                resources=dict(kind.resources),
                labels=labels,
            )
        )

    def end(self) -> Prices:
        """Give the result, or raise the faults."""
        self.faults.raise_any()
        return Prices(tuple(self.offers), dict(sorted(self.skipped.items())))


def aws_on_demand(prices: CsvTable, types: CsvTable) -> Prices:
    """Read AWS on-demand prices in USD; rows in another currency are left out."""
    reading = _Reading("aws")
    known = _aws_types(types, reading)
    for (name, region), price in _aws_prices(prices, reading).items():
        if name in known:
            reading.offer(name, region, known[name], _Terms(ON_DEMAND, price))
        else:
            reading.skipped[_NO_TYPE] += 1
    return reading.end()


def aws_spot(prices: CsvTable, types: CsvTable, advisor: CsvTable, system: str = "Linux") -> Prices:
    """Derive AWS spot offers: on-demand price less the advisor's savings, band as probability.

    Savings may be negative, where spot is dearer. Only rows of one operating system count, and only
    regions with an on-demand price. Rows left out of the on-demand list are counted too.
    """
    reading = _Reading("aws")
    known = _aws_types(types, reading)
    on_demand = _aws_prices(prices, reading)
    columns = ("region", "os", "instance_type", "interruption_band", "savings_pct")
    for row in read_rows(advisor, columns, reading.faults):
        name, region = row.text("instance_type"), row.text("region")
        terms = _spot_terms(row, on_demand.get((name, region)))
        if row.text("os") != system:
            reading.skipped[f"the operating system is not {system}"] += 1
        elif reading.repeats(row, name, region, SPOT):
            continue
        elif name not in known:
            reading.skipped[_NO_TYPE] += 1
        elif (name, region) not in on_demand:
            reading.skipped["no on-demand price in that region to derive it from"] += 1
        else:
            reading.offer(name, region, known[name], terms)
    return reading.end()


def gcp(prices: CsvTable, types: CsvTable, spot_probability: float) -> Prices:
    """Read GCP on-demand and spot prices; an empty price is unknown.

    Google publishes no interruption rates, so the caller says the probability per hour.

    Raises
    ------
    ValueError
        When ``spot_probability`` is not between 0 and 1.
    """
    if not 0 <= spot_probability <= 1:
        raise ValueError(f"spot_probability is {spot_probability}; it must lie between 0 and 1.")
    reading = _Reading("gcp")
    known = _gcp_types(types, reading)
    columns = ("machine_type", "region", "on_demand_usd_per_hour", "spot_usd_per_hour")
    for row in read_rows(prices, columns, reading.faults):
        name, region = row.text("machine_type"), row.text("region")
        on_demand = row.number_if_any("on_demand_usd_per_hour")
        spot = row.number_if_any("spot_usd_per_hour")
        if reading.repeats(row, name, region):
            continue
        if name not in known:
            reading.skipped[_NO_TYPE] += 1
            continue
        reading.offer(name, region, known[name], _Terms(ON_DEMAND, on_demand))
        reading.offer(name, region, known[name], _Terms(SPOT, spot, spot_probability))
    return reading.end()


def azure(prices: CsvTable, sizes: CsvTable) -> Prices:
    """Read Azure on-demand prices; a price of 0 stands for one not yet set and is left out."""
    reading = _Reading("azure")
    known = _azure_sizes(sizes, reading)
    for row in read_rows(prices, ("vm_size", "region", "usd_per_hour"), reading.faults):
        name, region, price = row.text("vm_size"), row.text("region"), row.number("usd_per_hour")
        if reading.repeats(row, name, region):
            continue
        if name not in known:
            reading.skipped[_NO_TYPE] += 1
        elif not price:
            reading.skipped["the price is 0, which stands for one not yet set"] += 1
        else:
            reading.offer(name, region, known[name], _Terms(ON_DEMAND, price))
    return reading.end()


def _aws_prices(prices: CsvTable, reading: _Reading) -> dict[tuple[str, str], Decimal | None]:
    found: dict[tuple[str, str], Decimal | None] = {}
    columns = ("instance_type", "region", "price_per_hour", "currency")
    for row in read_rows(prices, columns, reading.faults):
        name, region = row.text("instance_type"), row.text("region")
        price = row.number_if_any("price_per_hour")
        if row.text("currency") != "USD":
            reading.skipped[f"the price is in {row.cells['currency'][:3]}, not in USD"] += 1
        elif not reading.repeats(row, name, region):
            found[name, region] = price
    return found


def _spot_terms(row: Row, on_demand: Decimal | None) -> _Terms:
    band = row.cells["interruption_band"]
    monthly = 0.0
    if band in ("0", "1", "2", "3", "4"):
        monthly = BAND_MONTHLY[int(band)]
    else:
        row.refuse("interruption_band", "is not a band, 0 to 4.")
    left_percent = 100 - row.percent("savings_pct")
    price = None if on_demand is None else on_demand * left_percent / 100
    return _Terms(SPOT, price, hourly_probability(monthly))


def _aws_types(types: CsvTable, reading: _Reading) -> dict[str, _Type]:
    columns = ("instance_type", "vcpu", "memory_mib", "arch", "gpu_count", "accelerator_count")
    found: dict[str, _Type] = {}
    for row in read_rows(types, (*columns, *_AWS_LABELS), reading.faults):
        name, gpus = row.text("instance_type"), row.count("gpu_count")
        devices = {"gpu": gpus, "accelerator": row.count("accelerator_count")}
        labels = {ARCH: row.text("arch")}
        for column, key in _AWS_LABELS.items():
            # A type with a slice of a GPU counts none, and has no GPU to be asked for by name.
            if row.cells[column] and (gpus or not column.startswith("gpu_")):
                labels[key] = row.cells[column]
        if not reading.repeats(row, name):
            found[name] = _Type(_resources(row, ("vcpu", "memory_mib", "Mi"), devices), labels)
    return found


def _gcp_types(types: CsvTable, reading: _Reading) -> dict[str, _Type]:
    found: dict[str, _Type] = {}
    columns = ("machine_type", "cpu", "ram", *_GKE_ACCELERATORS)
    for row in read_rows(types, columns, reading.faults):
        name = row.text("machine_type")
        family = name.split("-", 1)[0]
        labels = {
            ARCH: "arm64" if family in _GCP_ARM_FAMILIES else "amd64",
            "cloud.google.com/machine-family": family,
        }
        gpus = 0
        for column, accelerator in _GKE_ACCELERATORS.items():
            if row.count(column):
                gpus = row.count(column)
                labels["cloud.google.com/gke-accelerator"] = accelerator
        if not reading.repeats(row, name):
            found[name] = _Type(_resources(row, ("cpu", "ram", "Gi"), {"gpu": gpus}), labels)
    return found


def _azure_sizes(sizes: CsvTable, reading: _Reading) -> dict[str, _Type]:
    found: dict[str, _Type] = {}
    columns = ("vm_size", "sku_family", "vcpu", "memory_mb", "gpu_count", "arch")
    for row in read_rows(sizes, columns, reading.faults):
        name, devices = row.text("vm_size"), {"gpu": row.count("gpu_count")}
        # Azure's "MB" are 1024 x 1024 bytes: a 4 GiB size is listed with 4096.
        resources = _resources(row, ("vcpu", "memory_mb", "Mi"), devices)
        # Quota families are written with blanks here and there, which no label value may have.
        quota = row.text("sku_family").replace(" ", "")
        if reading.repeats(row, name):
            continue
        if resources["memory"] == "0":
            reading.skipped[_NO_MEMORY] += 1
            continue
        found[name] = _Type(resources, {ARCH: row.text("arch")}, quota)
    return found


def _resources(
    row: Row, columns: tuple[str, str, str], devices: Mapping[str, int]
) -> dict[str, str]:
    """Give cpu and memory from two columns, the memory in the unit given third, and devices."""
    cpu, memory, unit = columns
    millis = parse_quantity(f"{row.number(cpu):f}", 1000)
    memory_bytes = parse_quantity(f"{row.number(memory):f}{unit}")
    resources = {
        "cpu": format_quantity(millis, "cpu"),
        "memory": format_quantity(memory_bytes, "memory"),
    }
    resources.update({name: str(count) for name, count in devices.items() if count})
    return resources
