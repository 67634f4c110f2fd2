"""From a task and a work tree to a verdict that rests on what was seen, and on nothing that was said."""
