"""Keeping what runs and people left: backups, their way back, and the way to another database."""
