"""What a model reads: pure functions from skills and their text to prompt text. Nothing here runs anything."""
