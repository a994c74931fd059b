"""What of a hook's words may be told: never a part of the bootstrap blob."""

from hypothesis import given
from hypothesis import strategies as st

from providers.metal.outcome import MOST_TOLD, Outcome, last_line, withheld

BLOB = b"#cloud-config\njoin: --token abcdef.0123456789abcdef\n"
LEFT_OUT = "(It repeats the bootstrap blob, and is left out.)"


def test_a_line_that_repeats_the_blob_is_left_out():
    assert withheld("join: --token abcdef.0123456789abcdef", BLOB) == LEFT_OUT
    assert withheld("bad token abcdef.0123456789abcdef!", BLOB) == LEFT_OUT
    assert withheld("abcdef", BLOB) == LEFT_OUT
    assert withheld("no route to host", BLOB) == "no route to host"
    assert withheld("no route to host", b"") == "no route to host"
    assert withheld("", BLOB) == ""
    message = Outcome("It ended with status 1.", "join: --token abcdef.01234").message(BLOB)
    assert message == f"It ended with status 1. {LEFT_OUT}"


@given(st.text(), st.binary(max_size=300), st.integers(0, 288))
def test_no_twelve_letters_of_the_blob_are_told(around, blob, start):
    text = blob.decode(errors="replace")
    part = text[start : start + 12]
    if len(part) == 12:
        assert part not in withheld(around + part + around, blob) or part in LEFT_OUT


@given(st.binary())
def test_a_last_line_is_one_printable_line(output):
    line = last_line(output)
    assert line.isprintable()
    assert bool(line) == bool(line.strip())
    assert len(Outcome("x" * 400, line).message()) <= MOST_TOLD
