"""Price lists to offers. The rows are taken from the tables of the projects named beside them."""

import csv
import re
import zlib
from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.cost import hourly_probability
from models.errors import InputFault
from models.labels import ARCH, QUOTA, REGION
from models.quantity import parse_quantity
from providers.convert import CsvTable
from providers.prices import Offer, Prices, aws_on_demand, aws_spot, azure, gcp

# aws/karpenter-provider-aws (Apache-2.0).
AWS_TYPES = """\
instance_type,vcpu,memory_mib,arch,cpu_manufacturer,category,family,generation,size,gpu_count,\
gpu_name,gpu_manufacturer,gpu_memory_mib,accelerator_count,accelerator_name,local_nvme_gb,hypervisor
g6f.large,2,8192,amd64,amd,g,g6f,6,large,0,l4,nvidia,2861,,,100,nitro
m5.large,2,8192,amd64,intel,m,m5,5,large,,,,,,,,nitro
m7g.large,2,8192,arm64,aws,m,m7g,7,large,,,,,,,,nitro
p5.48xlarge,192,2097152,amd64,amd,p,p5,5,48xlarge,8,h100,nvidia,81920,,,30400,nitro
trn1.2xlarge,8,32768,amd64,intel,trn,trn1,1,2xlarge,,,,,1,trainium,474,nitro
"""
AWS_PRICES = """\
instance_type,region,price_per_hour,currency
m5.large,cn-north-1,1.013000,CNY
g6f.large,us-east-1,0.202000,USD
m5.large,us-east-1,0.096000,USD
p5.48xlarge,us-east-1,55.040000,USD
t1.micro,us-east-1,0.020000,USD
trn1.2xlarge,us-east-1,1.343750,USD
m7g.large,us-gov-east-1,0.102800,USD
"""
# alexei-led/spotinfo (Apache-2.0).
AWS_ADVISOR = """\
region,os,instance_type,interruption_band,interruption_label,savings_pct
us-east-1,Linux,m5.large,3,15-20%,66
us-east-1,Linux,m7g.large,2,10-15%,64
us-east-1,Linux,p5.48xlarge,4,>20%,52
us-east-1,Linux,trn1.2xlarge,0,<5%,-62
us-east-1,Linux,t1.micro,1,5-10%,10
us-east-1,Windows,m5.large,4,>20%,46
"""
# cloudpilot-ai/karpenter-provider-gcp, Cyclenerd/google-cloud-pricing-cost-calculator (Apache-2.0).
GCP_TYPES = """\
machine_type,a100,a100-80gb,cpu,h100-80gb,h100-80gb-mega,l4,local-ssd,ram,rtx6000,type
e2-micro,,,0.25,,,,,1,,
f1-micro,,,1,,,,,0.6,,
t2a-standard-1,,,1,,,,,4,,
a3-highgpu-8g,,,208,8,,,6000,1872,,
a3-megagpu-8g,,,208,,8,,6000,1872,,
g4-standard-6,,,6,,,,,22,0.125,
"""
GCP_PRICES = """\
machine_type,region,on_demand_usd_per_hour,spot_usd_per_hour
a3-highgpu-8g,us-central1,88.49,50.609541
e2-micro,us-central1,0.008376,0.005026
f1-micro,us-central1,0.0076,
g4-standard-6,us-central1,0.559556,0.223803
t2a-standard-1,us-central1,0.0385,0.016392
n0-unheard-of,us-central1,1,0.5
"""
# Azure/karpenter-provider-azure, kubernetes/autoscaler (Apache-2.0).
AZURE_SIZES = """\
vm_size,sku_family,vcpu,memory_mb,gpu_count,arch
Standard_B1ls,standardBSFamily,1,0,0,amd64
Standard_D2pds_v5,standardDPDSv5Family,2,8192,0,arm64
Standard_M16bds_v4,standardMBDSMediumMemoryv4Family,16,131072,0,amd64
Standard_NC4as_T4_v3,Standard NCASv3_T4 Family,4,28672,1,amd64
"""
AZURE_PRICES = """\
vm_size,region,usd_per_hour
Standard_A0,eastus,0.02
Standard_B1ls,eastus,0.0052
Standard_D2pds_v5,eastus,0.0904
Standard_M16bds_v4,eastus,0
Standard_NC4as_T4_v3,eastus,0.526
"""

NO_TYPE = "the instance type is not in the table of types"


def source(name: str, text: str) -> CsvTable:
    return CsvTable(name, text.splitlines(keepends=True))


def read_on_demand(prices: str = AWS_PRICES, types: str = AWS_TYPES) -> Prices:
    return aws_on_demand(source("prices", prices), source("types", types))


def read_spot(
    prices: str = AWS_PRICES, types: str = AWS_TYPES, advisor: str = AWS_ADVISOR
) -> Prices:
    return aws_spot(source("prices", prices), source("types", types), source("advisor", advisor))


def read_gcp(prices: str = GCP_PRICES, types: str = GCP_TYPES) -> Prices:
    return gcp(source("prices", prices), source("types", types), 0.001)


def read_azure(prices: str = AZURE_PRICES, sizes: str = AZURE_SIZES) -> Prices:
    return azure(source("prices", prices), source("sizes", sizes))


def by_type(prices: Prices) -> dict[str, Offer]:
    return {f"{one.instance_type} {one.capacity_type}": one for one in prices.offers}


def faults_of(read: Callable[[], Prices]) -> list[str]:
    with pytest.raises(InputFault) as caught:
        read()
    return [str(fault) for fault in caught.value.faults]


def test_aws_on_demand_joins_prices_with_types() -> None:
    prices = read_on_demand()
    assert prices.skipped == {NO_TYPE: 1, "the price is in CNY, not in USD": 1}
    assert [f"{one.instance_type} {one.region}" for one in prices.offers] == [
        "g6f.large us-east-1",
        "m5.large us-east-1",
        "p5.48xlarge us-east-1",
        "trn1.2xlarge us-east-1",
        "m7g.large us-gov-east-1",
    ]
    assert prices.offers[2] == Offer(
        provider="aws",
        instance_type="p5.48xlarge",
        region="us-east-1",
        capacity_type="on-demand",
        price_per_hour=55.04,
        interruption_probability=0.0,
        resources={"cpu": "192", "memory": "2Ti", "gpu": "8"},
        labels={
            REGION: "us-east-1",
            ARCH: "amd64",
            "karpenter.k8s.aws/instance-category": "p",
            "karpenter.k8s.aws/instance-family": "p5",
            "karpenter.k8s.aws/instance-generation": "5",
            "karpenter.k8s.aws/instance-size": "48xlarge",
            "karpenter.k8s.aws/instance-cpu-manufacturer": "amd",
            "karpenter.k8s.aws/instance-hypervisor": "nitro",
            "karpenter.k8s.aws/instance-local-nvme": "30400",
            "karpenter.k8s.aws/instance-gpu-name": "h100",
            "karpenter.k8s.aws/instance-gpu-manufacturer": "nvidia",
            "karpenter.k8s.aws/instance-gpu-memory": "81920",
        },
    )


def test_aws_accelerators_and_slices_of_a_gpu() -> None:
    offers = by_type(read_on_demand())
    trainium, slice_of_gpu = offers["trn1.2xlarge on-demand"], offers["g6f.large on-demand"]
    assert trainium.resources == {"cpu": "8", "memory": "32Gi", "accelerator": "1"}
    assert trainium.labels["karpenter.k8s.aws/instance-accelerator-name"] == "trainium"
    assert slice_of_gpu.resources == {"cpu": "2", "memory": "8Gi"}
    assert not [key for key in slice_of_gpu.labels if "gpu" in key]
    assert offers["m7g.large on-demand"].labels[ARCH] == "arm64"


def test_aws_spot_takes_the_savings_off_and_the_middle_of_the_band() -> None:
    prices = read_spot()
    got = [
        (one.instance_type, one.capacity_type, one.price_per_hour, one.interruption_probability)
        for one in prices.offers
    ]
    assert got == [
        ("m5.large", "spot", 0.03264, hourly_probability(0.175)),
        ("p5.48xlarge", "spot", 26.4192, hourly_probability(0.25)),
        ("trn1.2xlarge", "spot", 2.176875, hourly_probability(0.025)),
    ]
    assert prices.skipped == {
        NO_TYPE: 1,
        "no on-demand price in that region to derive it from": 1,
        "the operating system is not Linux": 1,
        "the price is in CNY, not in USD": 1,
    }


def test_aws_spot_of_another_system() -> None:
    tables = source("p", AWS_PRICES), source("t", AWS_TYPES), source("a", AWS_ADVISOR)
    assert [one.price_per_hour for one in aws_spot(*tables, system="Windows").offers] == [0.05184]


@pytest.mark.parametrize(
    ("band", "monthly"), [("0", 0.025), ("1", 0.075), ("2", 0.125), ("3", 0.175), ("4", 0.25)]
)
def test_aws_spot_bands(band: str, monthly: float) -> None:
    advisor = (
        f"region,os,instance_type,interruption_band,savings_pct\nus-east-1,Linux,m5.large,{band},0"
    )
    (offer,) = read_spot(advisor=advisor).offers
    assert offer.interruption_probability == pytest.approx(1 - (1 - monthly) ** (1 / 730))
    assert offer.price_per_hour == 0.096


def test_gcp_gives_both_ways_to_pay() -> None:
    prices = read_gcp()
    offers = by_type(prices)
    assert prices.skipped == {NO_TYPE: 1}
    assert len(prices.offers) == 10
    assert offers["a3-highgpu-8g spot"] == Offer(
        provider="gcp",
        instance_type="a3-highgpu-8g",
        region="us-central1",
        capacity_type="spot",
        price_per_hour=50.609541,
        interruption_probability=0.001,
        resources={"cpu": "208", "memory": "1872Gi", "gpu": "8"},
        labels={
            REGION: "us-central1",
            ARCH: "amd64",
            "cloud.google.com/machine-family": "a3",
            "cloud.google.com/gke-accelerator": "nvidia-h100-80gb",
        },
    )
    assert offers["a3-highgpu-8g on-demand"].price_per_hour == 88.49
    assert offers["a3-highgpu-8g on-demand"].interruption_probability == 0
    assert offers["f1-micro spot"].price_per_hour is None
    assert offers["t2a-standard-1 spot"].labels[ARCH] == "arm64"


def test_gcp_fractions() -> None:
    offers = by_type(read_gcp())
    assert offers["e2-micro spot"].resources == {"cpu": "250m", "memory": "1Gi"}
    assert offers["f1-micro spot"].resources == {"cpu": "1", "memory": "644245095"}
    slice_of_gpu = offers["g4-standard-6 spot"]
    assert slice_of_gpu.resources == {"cpu": "6", "memory": "22Gi"}
    assert "cloud.google.com/gke-accelerator" not in slice_of_gpu.labels


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_gcp_refuses_what_is_no_probability(probability: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        gcp(source("prices", GCP_PRICES), source("types", GCP_TYPES), probability)


def test_azure_names_the_quota_and_leaves_out_what_has_no_price_or_memory() -> None:
    prices = read_azure()
    assert prices.skipped == {
        NO_TYPE: 2,
        "the price is 0, which stands for one not yet set": 1,
        "the table of types gives its memory as 0": 1,
    }
    plain, with_gpu = prices.offers
    assert plain.labels == {
        REGION: "eastus",
        ARCH: "arm64",
        QUOTA: "azure.eastus.standardDPDSv5Family",
    }
    assert with_gpu == Offer(
        provider="azure",
        instance_type="Standard_NC4as_T4_v3",
        region="eastus",
        capacity_type="on-demand",
        price_per_hour=0.526,
        interruption_probability=0.0,
        resources={"cpu": "4", "memory": "28Gi", "gpu": "1"},
        labels={REGION: "eastus", ARCH: "amd64", QUOTA: "azure.eastus.StandardNCASv3_T4Family"},
    )


@pytest.mark.parametrize("read", [read_on_demand, read_spot, read_gcp, read_azure])
def test_resources_are_quantities_and_quotas_label_values(read: Callable[[], Prices]) -> None:
    for offer in read().offers:
        assert all(parse_quantity(amount) > 0 for amount in offer.resources.values())
        assert re.fullmatch(r"[A-Za-z0-9._-]{0,63}", offer.labels.get(QUOTA, ""))


def test_every_fault_of_every_table_is_named_at_once() -> None:
    prices = AWS_PRICES + "m5.large,eu-1,-1,USD\nm5.large,eu-2,NaN,USD\nm5.large,eu-3\n"
    types = AWS_TYPES.replace("g6f.large,2,", ",two,")
    advisor = AWS_ADVISOR + "us-east-1,Linux,g6f.large,5,,101\nus-east-1,Linux,g6f.large,1,,--5\n"
    assert sorted(faults_of(lambda: read_spot(prices, types, advisor))) == [
        "advisor: line 8.interruption_band: '5' is not a band, 0 to 4.",
        "advisor: line 8.savings_pct: '101' is not a whole number of percent from -999 to 100; "
        "mend the cell.",
        "advisor: line 9.savings_pct: '--5' is not a whole number of percent from -999 to 100; "
        "mend the cell.",
        "advisor: line 9: g6f.large us-east-1 spot was already given in advisor: line 8; keep one.",
        "prices: line 10.price_per_hour: 'NaN' is not a number from 0 to 1e15; mend the cell.",
        "prices: line 11: the row has 2 cells, the first line 4.",
        "prices: line 9.price_per_hour: '-1' is not a number from 0 to 1e15; mend the cell.",
        "types: line 2.instance_type: the cell is empty; it must not be.",
        "types: line 2.vcpu: 'two' is not a number from 0 to 1e15; mend the cell.",
    ]


@pytest.mark.parametrize("cell", ["1_0", " 1", "1e3", "inf", "٣", "1.2.3", ".", "+1", "9" * 16])
def test_refuses_what_is_no_plain_number(cell: str) -> None:
    text = f"vm_size,region,usd_per_hour\nStandard_A0,eastus,{cell}\n"
    (fault,) = faults_of(lambda: read_azure(text))
    assert fault.startswith("prices: line 2.usd_per_hour: ")


def test_refuses_repeated_rows_but_not_the_same_type_elsewhere() -> None:
    text = AZURE_PRICES + "Standard_A0,westus,0.02\nStandard_A0,eastus,0.03\n"
    assert faults_of(lambda: read_azure(text)) == [
        "prices: line 8: Standard_A0 eastus was already given in prices: line 2; keep one."
    ]


def test_names_the_missing_columns_or_an_empty_table() -> None:
    assert faults_of(lambda: read_azure(GCP_PRICES, "")) == [
        "sizes: the table is empty; its first line must name the columns.",
        "prices: line 1: there is no column vm_size, usd_per_hour; is it another table?",
    ]


def failing(lines: Iterable[str], error: Exception) -> Iterator[str]:
    yield from lines
    raise error


@pytest.mark.parametrize(
    "error",
    [
        OSError("Not a gzipped file"),
        EOFError("Compressed file ended"),
        UnicodeDecodeError("utf-8", b"\x8b", 0, 1, "invalid start byte"),
        zlib.error("invalid block type"),
        csv.Error("line contains NUL"),
    ],
)
def test_a_table_that_cannot_be_read_to_its_end_is_a_fault(error: Exception) -> None:
    broken = CsvTable("prices", failing(AZURE_PRICES.splitlines()[:3], error))
    (fault,) = faults_of(lambda: azure(broken, source("sizes", AZURE_SIZES)))
    assert fault.startswith("prices: line 4: the text cannot be read (")


def test_a_quote_left_open_is_a_fault() -> None:
    (fault,) = faults_of(lambda: read_azure(AZURE_PRICES + 'a,"b,1\n'))
    assert "the text cannot be read" in fault


def test_a_file_of_another_kind_lists_a_hundred_faults_and_counts_the_rest() -> None:
    faults = faults_of(lambda: read_azure(AZURE_PRICES + "junk\n" * 250))
    assert len(faults) == 101
    assert faults[-1] == "and 150 faults more."


def test_blank_lines_other_columns_and_quotes_are_taken() -> None:
    text = 'note,usd_per_hour,vm_size,region\n\n"a, b",0.1,"Standard_D2pds_v5",eastus\r\n\n'
    assert [one.price_per_hour for one in read_azure(text).offers] == [0.1]


@given(st.text(max_size=200), st.booleans())
def test_any_text_gives_offers_or_faults(text: str, with_header: bool) -> None:
    table = "vm_size,region,usd_per_hour\n" + text if with_header else text
    try:
        prices = azure(source("prices", table), source("sizes", AZURE_SIZES))
    except InputFault:
        return
    assert all(offer.price_per_hour for offer in prices.offers)
