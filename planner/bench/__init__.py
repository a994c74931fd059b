"""Measuring on the user's own hardware: seeded instances, what is asked of them, how long it takes.

``questions`` lists what can be asked; each question has a file with its instance. ``instances``
makes the shard that most begin with, ``laid_out`` lays it out in columns, ``world`` lets time pass
between its cycles, ``sample`` keeps time. Nothing here decides.
"""
