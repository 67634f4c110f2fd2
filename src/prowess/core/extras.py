"""
How to get what is not installed with every Prowess.

The sentence is true wherever Prowess came from, a checkout, a wheel or an index, and whatever installed it.
"""

# Follows the words "install Prowess again with its extra …,"; `all` is what works to the letter.
IN_BRACKETS = (
    "in brackets after what you install: '.[all]' in a checkout, 'FILE.whl[all]' of a wheel"
)
