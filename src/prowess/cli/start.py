"""Where the command begins: Ctrl-C while the rest is still being loaded is no mistake of anybody."""

import sys


def main() -> None:
    try:
        from prowess.cli import app
    except KeyboardInterrupt:
        sys.exit(130)
    app.main()
