"""The board: tasks, sessions and handoffs, kept beside the event log and told in it."""
