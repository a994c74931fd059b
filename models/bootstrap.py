"""Which labels a bootstrap blob makes true, so that no machine has to bear them beforehand."""

from collections.abc import Sequence

WILD = "*"
"""At the end of a pattern: whatever follows."""


def is_bootstrap_key(key: str, patterns: Sequence[str]) -> bool:
    """Tell whether the bootstrap makes requirements on this label true."""
    return any(
        key.startswith(pattern.removesuffix(WILD)) if pattern.endswith(WILD) else key == pattern
        for pattern in patterns
    )


def checked_patterns(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Give the patterns back: label keys, or beginnings of such followed by ``*``.

    Raises
    ------
    ValueError
        When one holds what other tools read as wild anywhere else.
    """
    for pattern in patterns:
        if any(letter in pattern.removesuffix(WILD) for letter in "*?["):
            raise ValueError(f"{pattern!r}: only a * at its end stands for anything.")
    return patterns
