"""
What a model can do: a box of typed tools, each of which helps itself out of common trouble.

A tool never raises for what a model asks: whatever comes of a call is an observation.
"""
