"""The fence around the solver: a process of its own that can be ended at any moment."""
