"""Machines that stand in a rack: a list of them, and hooks that configure and drain them.

``inventory`` reads rows, ``hooks`` the settings of the hooks. ``provider`` keeps the port and runs
hooks, by ``commands`` or ``requests``; ``racks`` knows how machines stand, and writes what the
hardware cannot keep to ``store``. ``health`` asks how machines are, ``strays`` ends what an earlier
life left running.
"""
