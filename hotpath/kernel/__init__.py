"""The compiled kernels of the hot path, in C, and their bindings.

``reconcile`` compares a full List with what is known. A shard (``shard/``, in C) decides whole
cycles: ``live`` keeps one from cycle to cycle, ``cycle`` makes one for a single cycle. On the way
there ``tables``, ``places``, ``menus`` and ``asking`` turn a fleet into columns and numbers, and
``binding`` calls C; ``orders`` and ``names`` turn the answer back.

What is compiled gives the answers of plain numpy (``hotpath.plain``), which stays as its oracle,
and in its place where no C compiler was there when the package was built.
"""
