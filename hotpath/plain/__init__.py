"""A cycle in numpy: the oracle of the compiled one, and its stand-in where there is none."""
