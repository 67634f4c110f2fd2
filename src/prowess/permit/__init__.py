"""What a run may do, and what of it may be seen."""
