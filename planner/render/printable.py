"""Text from outside on a terminal: nothing in it may move the cursor, colour or hide."""


def printable(text: str) -> str:
    r"""Give ``text`` on one line, with each control, format and lone surrogate character escaped.

    >>> printable("g\x1b[31m1\n")
    'g\\x1b[31m1\\n'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
