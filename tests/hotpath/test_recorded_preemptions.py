"""Recorded spot preemptions, replayed through ``cycle``: replacement, release, back-off, no flaps.

Each replay carries memory from cycle to cycle and compares every order with a plain model of its
own, which knows only the record and the specification.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from math import inf, log
from pathlib import Path

import pytest
from builders import fleet, machine, need
from oracle.engine import named_actions

from hotpath.backoff import after_failure, after_success, scope_of
from hotpath.cycle import cycle
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from models.failure import FailureClass
from models.machine import HOST_REQUIRED, CapacityType, State
from models.settings import Settings, with_overrides
from models.shortfall import Reason

RECORDS = Path(__file__).parents[2] / "benchmarks" / "data" / "preemptions"
NOTICE = 120.0
"""A spot machine is told two minutes before it is taken."""
HOUR = 3600.0
STEP = 60.0
NEXT = {
    State.CREATING: State.IDLE,
    State.CONFIGURING: State.CONFIGURED,
    State.DRAINING: State.IDLE,
}
"""What one step of the replay makes of a transition; it never fails."""


def lives():
    """Give when each recorded machine came and went, in seconds; infinity for what stayed."""
    found = {}
    for line in (RECORDS / "aws_p3.csv").read_text().splitlines():
        milliseconds, event, name = line.split(",")
        at = int(milliseconds) / 1000
        found[name] = (at, inf) if event == "add" else (found[name][0], at)
    return found


def counts(step, until):
    """Give the recorded number of instances at each step.

    Each change stands there three times, a minute apart, for plotting; the first one counts.
    """
    lines = (RECORDS / "gcp_v100.txt").read_text().splitlines()[::3]
    rows = [line.split(", ") for line in lines]
    moments = [datetime.fromisoformat(f"{day} {time}") for day, time, _ in rows]
    since = [(moment - moments[0]).total_seconds() for moment in moments]
    assert since == sorted(since)
    return [
        int(rows[sum(at <= number * step for at in since) - 1][2])
        for number in range(int(until / step) + 1)
    ]


@dataclass
class Yard:
    """Machines over simulated time: rows by name, and which need each serves."""

    rows: dict = field(default_factory=dict)
    serves: set = field(default_factory=set)
    memory: Memory = field(default_factory=Memory)

    def put(self, row, state, now):
        host = f"h-{row.id}" if state in HOST_REQUIRED else None
        cluster = "a" if state in (State.CONFIGURED, State.CONFIGURING, State.DRAINING) else None
        self.rows[row.id] = replace(
            row, state=state, state_since=now, host_ref=host, cluster=cluster
        )

    def settle(self, now):
        """Let every transition end."""
        for row in list(self.rows.values()):
            if row.state in NEXT:
                self.put(row, NEXT[row.state], now)

    def cycle(self, count, priority, settings, now):
        """Run one cycle; give it with its fleet and its orders as (verb, machine)."""
        builder = fleet()
        for name, row in self.rows.items():
            builder.machines(row, serves="n" if name in self.serves else None)
        built = builder.needs(need("a/n", count, priority)).build()
        done = cycle(inventory_of(built, 0), self.memory, settings, now)
        self.memory = done.memory
        return built, done, {order[:2] for order in named_actions(built, done)}

    def obey(self, orders, now):
        """Start what was ordered; what was deleted is gone."""
        to = {
            "configure": State.CONFIGURING,
            "create": State.CREATING,
            "drain": State.DRAINING,
        }
        for verb, name in orders:
            if verb == "delete":
                del self.rows[name]
                continue
            self.put(self.rows[name], to[verb], now)
            (self.serves.discard if verb == "drain" else self.serves.add)(name)


def spot(name):
    """Every other machine is of a dearer class."""
    dear = int(name.removeprefix("node")) % 2
    return machine(
        name,
        capacity=CapacityType.SPOT,
        instance_type=("p3.2xlarge", "p3.8xlarge")[dear],
        price=(1.0, 1.3)[dear],
        risk=0.05,
    )


@dataclass
class Ledger:
    """The plain model: who serves, what idles since when, and every assignment so far."""

    count: int
    weight: float
    hold_max: float
    serving: set = field(default_factory=set)
    idle: dict = field(default_factory=dict)
    history: list = field(default_factory=list)
    seen: Counter = field(default_factory=Counter)

    def expected(self, now):
        """Give the orders of one cycle: cheapest first, then the release by its formula."""
        free = sorted(self.idle, key=lambda name: (spot(name).price_per_hour, name))
        taken = free[: max(0, self.count - len(self.serving))]
        self.seen["replaced"] += len(taken)
        idle = {name: since for name, since in self.idle.items() if name not in taken}
        gone = [name for name in idle if self.goes(name, idle, now)]
        self.serving |= set(taken)
        self.history += [(now, spot(name).instance_type) for name in taken]
        self.idle = {name: since for name, since in idle.items() if name not in gone}
        return {("configure", name) for name in taken} | {("delete", name) for name in gone}

    def goes(self, name, idle, now):
        age = now - idle[name]
        if age < 300:
            return False
        kind = spot(name).instance_type
        alike = [other for other in idle if spot(other).instance_type == kind]
        place = sum((-idle[other], other) <= (-idle[name], name) for other in alike)
        wanted = 5 * sum(
            self.weight * log(2) / 15 * 0.5 ** ((now - at) / 900)
            for at, assigned in self.history
            if assigned == kind
        )
        why = "hold" if wanted < place else "hold_max" if age >= self.hold_max else "held on"
        self.seen[why] += 1
        return why != "held on"


@pytest.mark.parametrize(
    ("count", "priority", "weight"), [(20, 0, 1.0), (16, 500_000, 1.5), (20, 1_000_000, 2.0)]
)
def test_what_was_taken_is_replaced_and_the_rest_released_by_the_forecast(count, priority, weight):
    """Eleven hours of AWS p3 spot machines, minute by minute."""
    settings = with_overrides(Settings(), ["release.hold_max=7m"])
    yard, model, recorded = Yard(), Ledger(count, weight, hold_max=420.0), lives()
    lost = 0
    for now in (STEP * step for step in range(690)):
        yard.settle(now)
        for name, (came, went) in recorded.items():
            if came == now:
                yard.put(spot(name), State.IDLE, now)
                model.idle[name] = now
            if went - NOTICE <= now and name in yard.rows:
                yard.rows[name] = replace(yard.rows[name], reclaim_at=went)
                lost += name in model.serving
                model.serving.discard(name)
                model.idle.pop(name, None)
            if went <= now:
                yard.rows.pop(name, None)
                yard.serves.discard(name)
        _, done, orders = yard.cycle(count, priority, settings, now)
        assert orders == model.expected(now)
        missing = count - len(model.serving)
        assert sum(short.count for short in done.shortfalls) == missing
        assert not (missing and model.idle)
        yard.obey(orders, now)
    # Every loss was made good, but for what is short at the end, when the record has no more.
    assert model.seen["replaced"] == lost + count - missing
    assert lost > 3 * count
    assert min(model.seen[why] for why in ("hold", "held on", "hold_max")) > 0


SLOTS = 80


def slot(name):
    return machine(name, State.SPECULATIVE, capacity=CapacityType.SPOT, price=1.0, risk=0.05)


def test_back_off_doubles_while_nothing_is_to_be_had_and_success_clears_it():
    """Eight hours of V100s: a Create fails while as many run as the record had."""
    yard, settings = Yard(), Settings()
    for number in range(SLOTS):
        yard.put(slot(f"g{number:02d}"), State.SPECULATIVE, 0.0)
    until, last, pauses = 0.0, 0.0, []
    for step, most in enumerate(counts(STEP, 8 * HOUR)):
        now = STEP * step
        yard.settle(now)
        for name in sorted(yard.serves)[most:]:
            yard.serves.discard(name)
            yard.put(yard.rows[name], State.SPECULATIVE, now)
        missing = SLOTS - len(yard.serves)
        free = sorted(set(yard.rows) - yard.serves)
        ready = {name for name in yard.serves if yard.rows[name].state is State.IDLE}
        built, done, orders = yard.cycle(SLOTS, 0, settings, now)
        bought = free if now >= until else []
        assert orders == {("configure", name) for name in ready} | {
            ("create", name) for name in bought
        }
        if missing and not bought:
            assert [(s.count, s.reason) for s in done.shortfalls] == [(missing, Reason.STOCKED_OUT)]
        got = bought[: most - len(yard.serves)]
        for name in got:
            yard.memory = after_success(yard.memory, built, built.machines.ids.tolist().index(name))
            last = 0.0
        if len(bought) > len(got):
            refused = built.machines.ids.tolist().index(bought[-1])
            scope = scope_of(built, refused, FailureClass.CAPACITY)
            yard.memory = after_failure(yard.memory, scope, settings.backoff, now)
            last = min(2 * last, 1800.0) if last else 180.0
            until = now + last
            pauses.append(last)
        yard.obey({("configure", name) for name in ready} | {("create", name) for name in got}, now)
    assert {180.0, 360.0, 720.0} <= set(pauses)
    assert any(later < sooner for sooner, later in pairwise(pauses))


def test_needs_that_follow_the_record_give_back_only_what_stood_for_a_minute():
    """Twelve hours at six times their speed: the recorded number is what a cluster asks for.

    Never drained below what was asked for within the last minute; gone at the latest after two.
    """
    yard, settings, step = Yard(), Settings(), 20.0
    asked, drained = counts(6 * step, 12 * HOUR), 0
    for number in range(SLOTS):
        yard.put(machine(f"m{number:02d}"), State.IDLE, 0.0)
    for at, count in enumerate(asked):
        now = step * at
        yard.settle(now)
        before = set(yard.serves)
        _, _, orders = yard.cycle(count, 0, settings, now)
        yard.obey(orders, now)
        verbs = Counter(verb for verb, _ in orders)
        assert verbs["configure"] == max(0, count - len(before))
        assert verbs["drain"] == len(before - yard.serves)
        assert len(yard.serves) >= max(asked[max(0, at - 3) : at + 1])
        if at >= 6:
            assert len(yard.serves) <= max(asked[at - 6 : at + 1])
        drained += verbs["drain"]
    fallen = sum(max(0, sooner - later) for sooner, later in pairwise(asked))
    assert 0 < drained < fallen


def test_the_record_says_what_the_replays_take_from_it():
    recorded, number = lives(), counts(STEP, 24 * HOUR)
    assert len(recorded) == 177
    assert sum(went < inf for _, went in recorded.values()) == 167
    assert (min(number), max(number)) == (30, SLOTS)
