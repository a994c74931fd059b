"""Knobs from plain data: everything that may be said, and every fault at once with its path."""

from math import inf

import pytest

from models.errors import InputFault
from models.failure import FailureClass
from models.machine import CapacityType
from providers.simulated.knobs import (
    Fail,
    Knobs,
    Listing,
    Lognormal,
    Match,
    Rate,
    Uniform,
    knobs_from,
)  # fmt: skip


def faults(told, path="providers.p"):
    with pytest.raises(InputFault) as error:
        knobs_from(told, path)
    return str(error.value).splitlines()


def test_the_knobs_of_a_scenario():
    knobs = knobs_from(
        {
            "create": "60s",
            "configure": ["40s", 90],
            "drain": {"lognormal": {"median": "90s", "sigma": 0.5}},
            "delete": 5,
            "rate": {"calls": 2, "machines": 2, "burst": 1000},
            "fail": [
                {"rpc": "create", "match": {"capacityType": "spot"}, "class": "CAPACITY",
                 "from": "0s", "until": "200s"},
                {"rpc": "create", "match": {"id": "s3", "zone": None}, "class": "hang"},
                {"rpc": "create", "match": {"id": "s4"}, "class": "late", "after": "2m"},
            ],
            "list": [
                {"returns": "empty", "from": "100s", "until": "160s"},
                {"returns": "partial", "hide": {"id": "h*"}},
            ],
        }
    )  # fmt: skip
    assert (knobs.create, knobs.configure) == (Uniform(60, 60), Uniform(40, 90))
    assert (knobs.drain, knobs.delete) == (Lognormal(90, 0.5), Uniform(5, 5))
    assert knobs.rate == Rate(calls=2.0, machines=2.0, burst=1000.0)
    assert knobs.fail == (
        Fail(rpc="create", match=Match(capacity_type=CapacityType.SPOT),
             kind=FailureClass.CAPACITY, until=200.0),
        Fail(rpc="create", match=Match(id="s3"), kind="hang"),
        Fail(rpc="create", match=Match(id="s4"), kind="late", after=120.0),
    )  # fmt: skip
    assert knobs.list == (
        Listing(returns="empty", since=100.0, until=160.0),
        Listing(returns="partial", hide=Match(id="h*")),
    )
    assert knobs.fail[1].until == inf


def test_a_bare_rate_is_of_calls():
    assert knobs_from({"rate": 2}).rate == Rate(calls=2.0)


@pytest.mark.parametrize("nothing", [None, {}, {"create": None, "fail": None, "rate": None}])
def test_nothing_said_is_a_cloud_without_limits(nothing):
    assert knobs_from(nothing) == Knobs()


def test_bare_metal_has_other_defaults():
    knobs = knobs_from({"kind": "bare-metal", "drain": "1h"})
    assert (knobs.create, knobs.no_delete) == (Uniform(7200, 21600), True)
    assert knobs.drain == Uniform(3600, 3600)
    assert not knobs_from({"kind": "cloud"}).no_delete


def test_all_faults_at_once():
    assert faults(
        {
            "kind": "metal",
            "create": [90, 40],
            "lst": 1,
            "fail": [
                {"rpc": "creat", "match": {"capacityType": "spt", "ID": "x"}, "class": "CAP",
                 "from": "x", "until": -1},
                5,
            ],
            "quotas": [{"count": -1}],
            "prices": {"every": 0},
        }
    ) == [
        "providers.p.kind: 'metal' is not one of cloud, bare-metal.",
        "providers.p.create: [90, 40] falls; write the shorter time first.",
        "providers.p.fail[0].rpc: 'creat' is not one of create, configure, drain, delete; "
        "did you mean create?",
        "providers.p.fail[0].match.capacityType: 'spt' is not one of bare-metal, on-demand, "
        "reserved, spot; did you mean spot?",
        "providers.p.fail[0].match.ID: unknown field (value 'x'); known: capacityType, id, "
        "instanceType, zone.",
        "providers.p.fail[0].class: 'CAP' is not one of CAPACITY, QUOTA, IP, THROTTLED, INVALID, "
        "INTERNAL, hang, late.",
        "providers.p.fail[0].from: 'x' is not a duration; write it as in 500ms, 10s, 1h30m, 2d.",
        "providers.p.fail[0].until: -1.0 is negative; a duration must not be.",
        "providers.p.fail[1]: 5 is not a mapping.",
        "providers.p.quotas[0].count: -1 is out of range: should be greater than or equal to 0.",
        "providers.p.prices.every: 0 is out of range: should be greater than or equal to 1.",
        "providers.p.lst: unknown field (value 1); did you mean 'list'?",
    ]  # fmt: skip


TIMES = "is no time; write 60s, [40s, 90s] or {lognormal: {median: 90s, sigma: 0.5}}."


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (5, ": 5 is not a mapping of knobs."),
        ({"create": [1, 2, 3]}, f".create: [1, 2, 3] {TIMES}"),
        ({"create": {"median": 1}}, f".create: {{'median': 1}} {TIMES}"),
        ({"create": "soon"},
         ".create: 'soon' is not a duration; write it as in 500ms, 10s, 1h30m, 2d."),
        ({"create": ["40s", True]}, ".create: True is a truth value, not a duration."),
        ({"create": {"lognormal": {"median": 1, "sigma": 9}}},
         ".create: sigma 9 is not from 0 to 3."),
        ({"create": {"lognormal": {"median": 1, "sigma": "x"}}},
         ".create: sigma 'x' is not from 0 to 3."),
        ({"rate": "fast"}, ".rate: 'fast' is no rate; write calls a second, or {calls: 2, "
         "machines: 2, burst: 9}."),
        ({"rate": 0}, ".rate.calls: 0 is out of range: should be greater than 0."),
        ({"rate": {"burst": 0}},
         ".rate.burst: 0 is out of range: should be greater than or equal to 1."),
        ({"fail": {}}, ".fail: {} is not a list."),
        ({"fail": [{"rpc": "drain", "class": "late"}]},
         ".fail[0]: drain cannot be late; only create can."),
        ({"fail": [{"rpc": "drain", "class": "hang", "after": 1}]},
         ".fail[0]: has an after; only what is late has."),
        ({"fail": [{"rpc": "drain", "class": "hang", "from": 5, "until": 5}]},
         ".fail[0]: from 5 s until 5 s holds at no time."),
        ({"list": [{"returns": "partial"}]},
         ".list[0]: a partial List says what it hides, and no other does."),
        ({"list": [{"returns": "error", "hide": {}}]},
         ".list[0]: a partial List says what it hides, and no other does."),
        ({"noDelete": "yes"}, ".noDelete: 'yes' is neither true nor false."),
        ({"subnets": {"a": 1.5}}, ".subnets.a: 1.5 is not a whole number."),
    ],
)  # fmt: skip
def test_each_slip_is_one_readable_fault(told, said):
    [line] = faults(told)
    assert line.removeprefix("providers.p") == said


def test_without_a_path_faults_begin_with_the_field():
    assert faults({"kind": 3, "drain": -1}, "") == [
        "kind: 3 is not one of cloud, bare-metal.",
        "drain: -1.0 is negative; a duration must not be.",
    ]
