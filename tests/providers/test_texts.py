"""Texts as two arrays are the texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.texts import Texts

some = st.lists(st.text(max_size=6).filter(lambda text: "\0" not in text), max_size=8)


@given(some)
def test_texts_come_back(listed):
    texts = Texts.of(listed)
    assert texts.tolist() == listed
    assert [texts[place] for place in range(len(texts))] == listed
    assert [each.decode() for each in texts.padded().tolist()] == listed
    assert Texts.of_padded(texts.padded()).tolist() == listed


def ends(*places):
    return np.array(places, dtype=np.uint32)


@pytest.mark.parametrize(
    ("data", "places", "says"),
    [
        (b"ab", ends(1), "end at 1"),
        (b"ab", ends(), "end at 0"),
        (b"ab", ends(2, 1, 2), "before it begins"),
        (b"\xff", ends(1), "utf-8"),
        ("ö".encode(), ends(1, 2), "middle of a letter"),
    ],
)
def test_what_cannot_be_is_refused(data, places, says):
    with pytest.raises(ValueError, match=says):
        Texts(data, places)


def test_a_letter_of_several_bytes_may_end_the_data():
    assert Texts("aö".encode(), ends(1, 3)).tolist() == ["a", "ö"]
