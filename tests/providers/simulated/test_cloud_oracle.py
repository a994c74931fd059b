"""The cloud in columns does what the cloud in a dictionary does, event by event."""

from math import inf
from random import Random

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from models.machine import Operation
from tests.providers.simulated.twins import CLASSES, NAMES, RPCS, Twins

SECONDS = (0.0, 1.0, 2.0, 5.0)
LIMITS = (inf, 3.0, 4.0)
WAITS = (0.0, 0.5, 1.0, 2.5, 8.0)
GRACES = (0, 1, 4)
OPERATIONS = list(Operation)[:4]
GLOBS = ("*", "?", "ab")


def fours(values):
    return st.tuples(*[st.sampled_from(values)] * 4)


fails = st.tuples(
    st.sampled_from(RPCS),
    st.sampled_from(GLOBS),
    st.sampled_from(CLASSES),
    st.sampled_from([0.0, 3.0]),
    st.sampled_from([6.0, inf]),
    st.sampled_from([1.0, 7.0]),
).filter(lambda fail: fail[0] == "create" or fail[2] != "late")


class Clouds(RuleBasedStateMachine):
    """Finds small histories; the seeded ones below go far."""

    @initialize(
        takes=fours(SECONDS),
        limits=fours(LIMITS),
        broken=st.lists(fails, max_size=3),
        quota=st.sampled_from([inf, 1, 2]),
    )
    def begin(self, takes, limits, broken, quota):
        self.twins = Twins(takes, limits, broken, quota)

    @rule(seconds=st.sampled_from(WAITS))
    def wait(self, seconds):
        self.twins.wait(seconds)

    @rule(
        rpc=st.sampled_from(OPERATIONS),
        names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=4),
        cluster=st.sampled_from("cd"),
        reservation=st.sampled_from(["", "c/n"]),
        grace=st.sampled_from(GRACES),
    )
    def order(self, rpc, names, cluster, reservation, grace):
        self.twins.order(rpc, names, cluster, reservation, grace)

    @rule(name=st.sampled_from(NAMES), grace=st.sampled_from(GRACES))
    def go_on(self, name, grace):
        self.twins.go_on(name, grace)

    @rule(notice=st.sampled_from(WAITS))
    def reclaim(self, notice):
        self.twins.reclaim(notice)

    @invariant()
    def they_stand_alike(self):
        if hasattr(self, "twins"):
            self.twins.compare()


TestClouds = Clouds.TestCase
TestClouds.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)


def broken_calls(chance):
    rpc, what = chance.choice(RPCS), chance.choice(CLASSES)
    until, after = chance.choice([6.0, 40.0, inf]), chance.choice([1.0, 7.0])
    since = chance.choice([0.0, 3.0])
    return ("create" if what == "late" else rpc, chance.choice(GLOBS), what, since, until, after)


@pytest.mark.parametrize("seed", range(60))
def test_long_lives(seed):
    """Most steps go on with a life, so that every state is met in every way."""
    chance = Random(seed)
    twins = Twins(
        [chance.choice(SECONDS) for _ in RPCS],
        [chance.choice(LIMITS) for _ in RPCS],
        [broken_calls(chance) for _ in range(chance.choice([0, 1, 3]))],
        chance.choice([inf, inf, 1, 2]),
    )
    for _ in range(60):
        grace = chance.choice(GRACES)
        match chance.choices(["go on", "wait", "order", "reclaim"], [9, 6, 4, 1])[0]:
            case "go on":
                twins.go_on(chance.choice(NAMES), grace)
            case "wait":
                twins.wait(chance.choice(WAITS[:4]))
            case "order":
                names = chance.choices(NAMES, k=chance.choice([1, 3]))
                rpc, reservation = chance.choice(OPERATIONS), chance.choice(["", "c/n"])
                twins.order(rpc, names, chance.choice("cd"), reservation, grace)
            case "reclaim":
                twins.reclaim(chance.choice(WAITS))
        twins.compare()
