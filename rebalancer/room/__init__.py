"""How much room there is for gangs, how broken up it is, and what it would cost to make more."""
