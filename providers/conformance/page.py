"""The table of checks in docs/how-to/write-a-provider.md, from the checks themselves.

``python -m providers.conformance.page docs/how-to/write-a-provider.md`` writes it anew.
"""

import sys
from pathlib import Path

from providers.conformance.checks import CHECKS

BEGIN = "<!-- checks: written by providers.conformance.page -->\n"
END = "<!-- end of checks -->\n"


def table() -> str:
    """Write what each check says and how it is tried, as a table in Markdown."""
    rows = [
        f"| `{check.name}` | {check.says} | {(check.run.__doc__ or '').splitlines()[0]} |\n"
        for check in CHECKS
    ]
    return "".join(["| Line | The contract | How it is tried |\n|---|---|---|\n", *rows])


def rewritten(page: str) -> str:
    """Give a page with the table between its marks as it is now."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{table()}\n{END}{tail}"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(rewritten(path.read_text("utf-8")), "utf-8")
