"""Sweep the weights of the goals over snapshots, and say what they trade against each other.

``space`` says which weights, ``ground`` what is solved for, ``solve`` solves one trial, ``sweep``
all of them through an executor (``processes``, ``on_dask``), ``journal`` keeps them, ``judgement``
says what they show.
"""
