"""Attacks on the sandboxes, and what the commands in them are promised."""
