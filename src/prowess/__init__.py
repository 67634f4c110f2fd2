"""Prowess: the right skill at the right moment, run to the end, with proof."""

__version__ = "0.1.0"
