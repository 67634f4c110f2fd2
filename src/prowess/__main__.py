"""`python -m prowess`."""

from prowess.cli.start import main

main()
