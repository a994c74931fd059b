"""Settings from files and options, laid over each other, and what is odd about them."""
