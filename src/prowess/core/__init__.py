"""The nouns. Nothing here imports another part of Prowess."""
