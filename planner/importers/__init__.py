"""Turn files of other tools into fleet documents, one source a file, and say how it was done."""
