"""The hard rules of the fast engine, one mask a file; ``catalogue`` lists them in order."""
