"""Kubernetes quantities (``1500m``, ``1Gi``, ``1e3``) to whole units and back, without floats."""

import re

SATURATED = 2**63 - 1
"""The largest amount; larger ones are read as this one: no need is refused for its size."""

RESOURCE_SCALE = {"cpu": 1000}
"""Units in one whole of a resource: cpu counts in millicores, everything else in ones."""

_DECIMAL_POWER = {
    "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
}  # fmt: skip
_BINARY_POWER = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

# The grammar in the documentation of k8s.io/apimachinery's resource.Quantity. "1E" is one exa,
# "1E3" an exponent: the alternatives are tried in this order on the whole text.
_QUANTITY = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?"
    r"(?:(?P<binary>[KMGTPE]i)|[eE](?P<exponent>[+-]?[0-9]+)|(?P<decimal>[numkMGTPE]?))",
    re.ASCII,
)

_LOOKED_AT = 160
"""Leading digits that decide the result; of the rest only whether it is zero.

With 160 digits and a result below 2**63 the last digit stands for less than 10**-140 of a unit,
and unit boundaries are multiples of 10**-63 of the written number (``Ei`` times 1000), so no
boundary lies strictly inside one step of the last digit.
"""

_SHOWN = 40
"""Characters of a refused text that are repeated in the message."""


def scale_of(resource: str) -> int:
    """Give the units in one whole of ``resource``: 1000 for cpu, else 1."""
    return RESOURCE_SCALE.get(resource, 1)


def parse_quantity(text: str | int | float, scale: int = 1) -> int:
    """Give the exact value of a quantity in units of ``1 / scale``, fractions rounded up.

    A float is taken by its shortest decimal form, so 0.1 means a tenth. ``scale`` is 1 or a small
    power of ten. Values beyond ``SATURATED`` become it. Time and memory are linear in the length
    of the text, whatever its exponent says.

    Raises
    ------
    ValueError
        When the text is no quantity, is negative, or has both a suffix and an exponent.
    """
    if isinstance(text, bool):
        raise ValueError(f"{text} is a truth value, not a quantity.")
    if isinstance(text, int):
        if text < 0:
            raise ValueError("a quantity must not be negative.")
        return min(text * scale, SATURATED)
    # float.__repr__, since numpy's own floats print their type too.
    written = float.__repr__(text) if isinstance(text, float) else text
    if not isinstance(written, str):
        raise ValueError(f"a {type(written).__name__} is not a quantity; write a number or a text.")
    match = _QUANTITY.fullmatch(written)
    if match is None or not (match["whole"] or match["fraction"]):
        raise ValueError(_refusal(written))
    digits = ((match["whole"] or "") + (match["fraction"] or "")).lstrip("0")
    if not digits:
        return 0
    if match["sign"] == "-":
        raise ValueError(f"{_shown(written)} is negative; a quantity must not be.")
    power = _exponent(match["exponent"]) if match["exponent"] else 0
    power += _DECIMAL_POWER.get(match["decimal"] or "", 0) - len(match["fraction"] or "")
    return _ceiling(digits, power, scale << _BINARY_POWER.get(match["binary"] or "", 0))


def format_quantity(value: int, resource: str) -> str:
    """Write an amount in the units of ``resource`` in its shortest exact form.

    ``parse_quantity(format_quantity(x, r), scale_of(r)) == x`` for every amount ``x``. Bytes get
    the largest binary suffix that leaves a whole number, cpu is in cores or else in ``m``.
    """
    sign, size = ("-", -value) if value < 0 else ("", value)
    if resource == "cpu":
        whole, rest = divmod(size, RESOURCE_SCALE["cpu"])
        return f"{sign}{size}m" if rest else f"{sign}{whole}"
    if is_bytes(resource) and size:
        for suffix, power in reversed(_BINARY_POWER.items()):
            if size % (1 << power) == 0:
                return f"{sign}{size >> power}{suffix}"
    return f"{sign}{size}"


def is_bytes(resource: str) -> bool:
    """Tell whether a resource is counted in bytes: memory, any storage, huge pages."""
    return resource == "memory" or "storage" in resource or resource.startswith("hugepages-")


def _exponent(written: str) -> int:
    # Ten digits are beyond any quantity already, and int() of a million digits would fail.
    digits = written.lstrip("+-").lstrip("0")
    size = int(digits or "0") if len(digits) <= 10 else 10**10
    return -size if written.startswith("-") else size


def _ceiling(digits: str, power: int, factor: int) -> int:
    """Give ``ceil(digits * 10**power * factor)``, saturated; ``digits`` has no leading zero."""
    if len(digits) > _LOOKED_AT:
        rest = digits[_LOOKED_AT:]
        power += len(rest)
        digits = digits[:_LOOKED_AT]
        if rest.strip("0"):
            digits += "1"
            power -= 1
    if len(digits) + power > len(str(SATURATED)):
        return SATURATED
    product = int(digits) * factor
    if power < 0 and -power > len(str(product)):
        return 1
    tens: int = 10 ** abs(power)
    return min(product * tens if power >= 0 else -(-product // tens), SATURATED)


def _refusal(written: str) -> str:
    shown = _shown(written)
    if written.lstrip("+-").lower() in ("nan", "inf", "infinity", ".nan", ".inf"):
        return f"{shown} is not a finite number."
    if re.fullmatch(r"[+-]?[0-9.]+[eE][+-]?[0-9]+[A-Za-z]+", written):
        return f"{shown} has both an exponent and a suffix; write one of them."
    return f"{shown} is not a quantity; write a number with a suffix as in 1500m, 1Gi, 129M, 1e3."


def _shown(written: str) -> str:
    return repr(written) if len(written) <= _SHOWN else repr(written[:_SHOWN]) + "..."
