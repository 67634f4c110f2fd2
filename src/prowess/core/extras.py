"""
How to get what is not installed with every Prowess.

The sentence is true wherever Prowess came from, a checkout, a wheel or an index, and whatever installed it.
"""


def in_brackets(extra: str) -> str:
    """Follows the words "install Prowess again with its extra …,"."""
    return f"in brackets after what you install: '.[{extra}]' in a checkout, 'FILE.whl[{extra}]' of a wheel"


IN_BRACKETS = in_brackets("all")  # whatever other extras there are, they stay
