"""Command lines: what they would run, and whether each part of it is granted. `judge.py` tells the story."""
