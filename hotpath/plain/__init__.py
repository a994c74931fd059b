"""The hot path in numpy: the oracle of the compiled one, and its stand-in where there is none.

``walk`` opens the books (``opening``, ``ledger``, ``holding``) and takes each need through phases 1
(``assign``) and 2 (``preempt``); ``finish`` gives back (``reclaim``, ``release``, ``escalate``). A
phase a file, each hard rule one in ``rules``: written to be read next to SPEC. ``reconcile``
compares Lists.
"""
