"""Token buckets against what a person would count."""

from math import inf

import hypothesis.strategies as st
import pytest
from hypothesis import given

from providers.bucket import Bucket, Limit

STEPS = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 1.0, 7.5]), st.integers(1, 9)), max_size=20)


@given(st.sampled_from([0.5, 1.0, 4.0]), st.sampled_from([1.0, 3.5, 8.0]), STEPS)
def test_gives_what_came_in_and_no_more(rate, burst, steps):
    bucket, now, tokens = Bucket(Limit(rate, burst)), 0.0, burst
    for seconds, count in steps:
        now, tokens = now + seconds, min(burst, tokens + seconds * rate)
        wanted = min(count, int(tokens))
        assert bucket.take(count, now) == wanted
        tokens -= wanted


@given(st.sampled_from([0.5, 3.0]), st.sampled_from([1.0, 6.0]), STEPS)
def test_after_the_wait_it_fits_or_is_full_and_not_before(rate, burst, steps):
    bucket, now = Bucket(Limit(rate, burst)), 0.0
    for seconds, count in steps:
        now += seconds
        wait = bucket.wait(count, now)
        if wait:
            assert bucket.fits(now + wait - 1e-3) < min(count, burst)
            now += wait
        assert bucket.take(count, now) == min(count, int(burst))


def test_what_is_given_back_is_there_again_up_to_the_burst():
    bucket = Bucket(Limit(1.0, 5.0))
    assert bucket.take(4, 0.0) == 4
    bucket.give_back(3)
    assert bucket.fits(0.0) == 4
    bucket.give_back(9)
    assert bucket.fits(0.0) == 5


def test_time_that_goes_back_gives_nothing():
    bucket = Bucket(Limit(1.0, 5.0))
    assert bucket.take(5, 10.0) == 5
    assert bucket.fits(3.0) == 0
    assert bucket.fits(11.0) == 1


def test_many_small_additions_make_a_whole_token():
    bucket = Bucket(Limit(0.1, 1.0))
    bucket.take(1, 0.0)
    for tenth in range(1, 100):
        assert bucket.fits(tenth / 10) == 0
    assert bucket.fits(10.0) == 1


def test_without_a_limit_nothing_waits():
    bucket = Bucket(Limit())
    assert bucket.take(10**9, 0.0) == 10**9
    assert bucket.wait(10**9, 0.0) == 0.0
    assert bucket.fits(0.0) == inf


@pytest.mark.parametrize("limit", [(0.0, 1.0), (-1.0, 1.0), (1.0, 0.5), (float("nan"), 1.0)])
def test_a_limit_that_makes_no_sense_is_refused(limit):
    with pytest.raises(ValueError, match="it is"):
        Limit(*limit)
