"""What happened in a loop, told: while it goes on, and as its report."""
