"""A provider that ships with us and obeys its knobs: a cloud, or bare metal, on a simulated clock.

knobs      what may be set, read from the ``providers:`` block of a scenario
world      all machines as columns; a million of them without an object each
           (``world_of_rows`` makes them from a fleet document)
draws      chance, from a seed and names alone, so that the order of calls does not change it
rules      which call is refused, hangs or succeeds late; what a List hides
limits     rates, quotas, addresses
slots      how many machines are listed at all, as ``quota`` events say
books      what an order does to the world, as ``contract.desk`` asks
passing    what happens by itself as time goes by: transitions end, prices move, spot goes
prices     prices that move, and prices that are set
happenings what the world does to it: reclaims, dead nodes, orphans
lists      Lists in pages, full or since a cursor
cloud      the core: all of it behind a few calls that take the time; pure
provider   the port over a core and a clock
boards     what a BMC would say of each machine, over HTTP
"""
