"""The fast answer: one cycle of one shard, as pure array kernels.

``cycle`` is the door. It takes the compiled kernel where there is one (``kernel``, which also keeps
a live shard from cycle to cycle: ``kernel.live``) and numpy elsewhere (``plain``, a phase a file);
the answer is the same. ``why`` explains it. Here stands what all of them share.

Knows only models. The rebalancer and the planner may import it.
"""
