"""Measuring on the user's own hardware: seeded instances, what is asked of them, how long it takes.

``instances``, ``settled``, ``storm`` and ``crowded`` make what is measured, ``questions`` asks,
``sample`` keeps time. Nothing here decides.
"""
