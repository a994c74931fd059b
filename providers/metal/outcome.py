"""How a hook ended, and what of its words may be told."""

from dataclasses import dataclass

MOST_OUTPUT_BYTES = 4096
"""What is kept of a hook's output: its end."""

MOST_TOLD = 500
"""Characters of a message."""

_ALIKE = 12
"""So many characters in a row that are in the bootstrap blob too are taken for a part of it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """``failure``: in a sentence, why a hook failed, "" if it did not; ``said``: its last line."""

    failure: str = ""
    said: str = ""

    def message(self, user_data: bytes = b"") -> str:
        """Give both for ``last_error``, without any part of the bootstrap blob."""
        said = withheld(self.said, user_data)
        return f"{self.failure} {said}".strip()[:MOST_TOLD]


def last_line(output: bytes | bytearray) -> str:
    """Give the last line that is not empty, as printable text."""
    lines = output.decode(errors="replace").splitlines()
    shown = ("".join(c if c.isprintable() else " " for c in line).strip() for line in lines[::-1])
    return next((line for line in shown if line), "")


def withheld(line: str, user_data: bytes) -> str:
    """Give a line, or that it is left out because it repeats a part of the bootstrap blob."""
    blob = user_data.decode(errors="replace")
    starts = range(max(len(line) - _ALIKE, 0) + 1)
    if line and blob and any(line[start : start + _ALIKE] in blob for start in starts):
        return "(It repeats the bootstrap blob, and is left out.)"
    return line
