"""Ways to do the same tasks, compared by figures from the events of their runs."""
