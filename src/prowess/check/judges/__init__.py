"""What decides how commands end, and whether a change touches it."""
