"""The phases of a task as data, their guards, and where they lead."""
