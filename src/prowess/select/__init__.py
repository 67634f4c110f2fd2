"""From a plan to the next task, and from a task to the few skills that fit it, or none."""
