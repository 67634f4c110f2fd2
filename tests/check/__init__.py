"""Tests of the check stage."""
