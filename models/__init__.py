"""What we talk about: machines, needs, fleets, plans and the judge of them.

Pure: numpy, pydantic and the standard library, no clock, chance, file or log. Everyone may import
it.
"""
