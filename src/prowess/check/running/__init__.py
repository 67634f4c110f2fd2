"""Commands that are to prove something: read, run again, and their tests counted."""
