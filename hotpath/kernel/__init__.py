"""The compiled kernels of the hot path, in C, and their bindings.

Each does what a plain numpy function beside it does, faster; that function stays as its oracle, and
in its place where no C compiler was there when the package was built.
"""
