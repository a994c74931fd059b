"""Answers as trees, tables and text: terminal, file and report show the same. Writes nothing."""
