"""Why a need got what it got, from the books as they stood at its turn.

``explain`` answers, of a need or a machine; ``trace`` replays the cycle as far as the turn,
``verdicts`` says what became of each machine then, ``keys`` and ``losing`` by which key it lost.
"""
