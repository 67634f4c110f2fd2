"""The pages that a newcomer walks through, walked by a program."""
