"""The compiled attribution against the plain one, and before nonsense."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpath.attribution import Groups, fill, keep
from hotpath.attribution import fill_some as fill_plainly
from hotpath.kernel.attribution import fill_some
from hotpath.kernel.library import library

pytestmark = pytest.mark.skipif(library() is None, reason="no C compiler was there at build time")


@st.composite
def deals(draw: st.DrawFn) -> tuple[Groups, np.ndarray]:
    """Overlapping needs and groups; some groups are empty, some needs want nothing."""
    needs, width = draw(st.integers(1, 6)), draw(st.integers(1, 8))
    seed = draw(st.integers(0, 2**32 - 1))
    chance = np.random.default_rng(seed)
    fits = chance.random((needs, width)) < draw(st.sampled_from([0.2, 0.5, 0.9]))
    label = chance.integers(-1, needs, width)
    moves = (label[None, :] != np.arange(needs)[:, None]).astype(np.int64)
    size = chance.integers(0, draw(st.sampled_from([2, 6, 1000])), width)
    return Groups(size, fits, moves), chance.integers(0, draw(st.sampled_from([3, 9, 900])), needs)


@given(deals())
def test_compiled_and_plain_deal_alike(deal):
    groups, wanted = deal
    flow = keep(groups, wanted)
    fill_some(groups, flow, wanted, 0, len(wanted))
    assert flow.tolist() == fill(groups, wanted).tolist()


@given(deals(), st.data())
def test_compiled_goes_on_from_what_was_dealt(deal, data):
    groups, wanted = deal
    first = data.draw(st.integers(0, len(wanted) - 1))
    plain = np.zeros(groups.fits.shape, dtype=np.int64)
    fill_plainly(groups, plain, wanted // 2, 0, len(wanted))
    flow = plain.copy()
    fill_plainly(groups, plain, wanted, first, first + 1)
    fill_some(groups, flow, wanted, first, first + 1)
    assert flow.tolist() == plain.tolist()


def small() -> tuple[Groups, np.ndarray, np.ndarray]:
    groups = Groups(
        np.array([2, 1]), np.ones((2, 2), dtype=np.bool_), np.zeros((2, 2), dtype=np.int64)
    )
    return groups, np.zeros((2, 2), dtype=np.int64), np.array([1, 1])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda groups, flow, wanted: (groups, flow[:1], wanted, 0, 2),
        lambda groups, flow, wanted: (groups, flow, wanted[:1], 0, 2),
        lambda groups, flow, wanted: (groups, flow, wanted, 0, 3),
        lambda groups, flow, wanted: (groups, flow, wanted, -1, 1),
        lambda groups, flow, wanted: (groups, flow, wanted, 2, 1),
        lambda groups, flow, wanted: (groups, flow - 1, wanted, 0, 2),
        lambda groups, flow, wanted: (groups, flow + 9, wanted, 0, 2),
        lambda groups, flow, wanted: (
            Groups(groups.size[:1], groups.fits, groups.moves), flow, wanted, 0, 2,
        ),
        lambda groups, flow, wanted: (
            Groups(groups.size, groups.fits, groups.moves[:1]), flow, wanted, 0, 2,
        ),
    ],
)  # fmt: skip
def test_nonsense_never_reaches_the_compiled_code(spoil):
    with pytest.raises(ValueError, match=r"\."):
        fill_some(*spoil(*small()))


def test_columns_of_another_type_are_refused():
    groups, flow, wanted = small()
    with pytest.raises(Exception, match="array must have"):
        fill_some(groups, flow.astype(np.int32), wanted, 0, 2)
