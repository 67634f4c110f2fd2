"""The tests that were there before: they stay, and still say what they said."""
