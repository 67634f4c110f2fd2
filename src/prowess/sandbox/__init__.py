"""Commands that can use no more than their order says: bubblewrap, Landlock, or limits alone."""
