"""What is weighed once every level is served as well as it can be: one goal a file."""
