"""The engine against the oracle, and before the judge, on small random fleets."""

import pytest
from either_kernel import KERNELS, at_work
from hypothesis import HealthCheck, given, settings
from oracle.crowd import crowded
from oracle.cycle import decide
from oracle.engine import attribution_of, reply_of
from strategies import fleets

from models.rows import FleetRows
from models.settings import Settings

SOAKING = settings.get_current_profile_name() == "soak"
SEEDS_A_CHUNK = 5_000 if SOAKING else 200
CHUNKS = 10


def check(rows: FleetRows) -> None:
    for number, shard in enumerate(sorted(rows.shards, key=lambda shard: shard.name)):
        expected = decide(rows, shard.name, Settings(), attribution_of(rows, number))
        for kernel in KERNELS:
            with at_work(kernel):
                reply = reply_of(rows, number)
            assert reply.actions == expected.actions
            assert reply.shortfalls == expected.shortfalls
            assert reply.violations == ()


@settings(
    max_examples=20_000 if SOAKING else 200,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(fleets())
def test_the_cycle_is_what_the_specification_says(rows):
    check(rows)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_cycle_of_a_crowded_fleet_is_what_the_specification_says(chunk):
    for seed in range(chunk * SEEDS_A_CHUNK, (chunk + 1) * SEEDS_A_CHUNK):
        try:
            check(crowded(seed))
        except AssertionError as error:
            error.add_note(f"The fleet is crowded({seed}).")
            raise
