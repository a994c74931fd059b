"""The program: the shell that owns clock, network, files and processes.

Knows all the other packages; nobody imports it.
"""
