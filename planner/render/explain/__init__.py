"""The answers of ``explain`` as trees, tables and sentences, a file for each question."""
