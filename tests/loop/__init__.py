"""Tests of the loop, from plan to proven result."""
