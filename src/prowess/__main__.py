"""`python -m prowess`."""

from prowess.cli.app import main

main()
