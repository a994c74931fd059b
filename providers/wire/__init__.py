"""Between the port's values and the messages of ``providers/v1``: both ways, one kind a file.

What a newer peer says that we do not know is kept as "unknown", never read as "gone".
"""
