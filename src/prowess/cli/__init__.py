"""The command line: one file a noun. Heavy imports happen inside the command that needs them."""
