"""Where the command begins: Ctrl-C while the rest is still being loaded is no mistake of anybody."""

import os
import sys


def main() -> None:
    _open_closed()
    try:
        from prowess.cli import app
    except KeyboardInterrupt:
        sys.exit(130)
    app.main()


def _open_closed() -> None:
    """What goes to a stream that was closed (`>&-`) goes nowhere, and no file of ours gets its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, open(number, "r+" if number == 0 else "w"))  # noqa: SIM115
