"""The command line, one file a verb: the only place that writes to a terminal.

Nobody else imports it, not even the rest of the planner.
"""
