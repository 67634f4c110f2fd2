"""Lines for the shell with placeholders in them: where a value may stand, and how it is written. `line.py` tells the story."""
