"""Folders in, catalog out: every skill on disk, whatever its format, and every problem met on the way."""
