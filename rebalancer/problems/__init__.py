"""The questions that the rebalancer answers, one a file: which lanes and limits each has."""
