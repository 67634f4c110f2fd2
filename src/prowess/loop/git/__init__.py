"""What the loop does with git, and what git may not be told behind its back."""
