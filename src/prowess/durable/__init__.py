"""Runs that outlive their process. Nothing outside this package knows the library they stand on."""
