"""Who owns which domain: like shares of every group of alike domains, with the least movement."""
