"""
How deep what a model writes may be nested.

It is sent back with every later request, and the libraries that write it give up at a depth of their
own (the first at some 250 levels), long after anything a tool could mean.
"""

DEEPEST = 64


class TooDeepError(ValueError):
    """Says so, for the model to read; what is so deep stands before it."""

    def __init__(self) -> None:
        super().__init__(f"are nested deeper than {DEEPEST} levels: write them flatter")
