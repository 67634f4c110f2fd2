"""
The `prowess` command: its commands in the order a newcomer meets them, and the one place where
errors become exit codes.

0 fine · 1 the answer is no · 2 wrong usage or settings · 3 something outside failed
4 a run waits for an answer · 130 interrupted · 141 nobody reads it to its end · 143 told to end
"""

import gc
import os
import sys
from collections.abc import Mapping
from importlib import import_module

import typer

from prowess import __version__
from prowess.cli.commands import Commands
from prowess.core.errors import TOLD_AS, OutsideError, ProwessError, UsageError

# Which file has which commands, in the order a newcomer meets them. A command loads its own file
# and no other, so that the quick ones stay quick.
HOMES: Mapping[str, tuple[str, ...]] = {
    "setup": ("init", "doctor"),
    "skills": ("list", "show", "read"),
    "authoring": ("validate", "new"),
    "matching": ("match", "plan"),
    "prompts": ("prompt", "sync"),
    "run": ("run",),
    "runs": ("runs",),
    "loop": ("loop",),
    "check": ("check",),
    "compare": ("compare",),
    "workflows": ("schema", "convert"),
    "permit": ("permit",),
    "redact": ("redact",),
    "integrate": ("integrate",),
    "tasks": ("task",),
    "sessions": ("session",),
    "handoffs": ("handoff",),
    "board": ("roles", "name", "dashboard"),
    "serve": ("serve",),
    "worker": ("worker",),
    "mcp": ("mcp",),
    "log": ("log",),
    "keeping": ("backup", "restore", "migrate"),
    "demo": ("demo",),
}


def make_app(*words: str) -> typer.Typer:
    """The command line: all of it, or only the part that has the command these words begin with."""
    app = Commands(
        name="prowess",
        help="The right skill at the right moment, run to the end, with proof.",
        epilog="Begin with `prowess list`; `prowess demo` shows everything in a minute.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )
    app.callback()(_root)
    asked = [home for home, commands in HOMES.items() if words and words[0] in commands]
    for home in asked or HOMES:
        import_module(f"prowess.cli.{home}").register(app)
    return app


def _version(asked: bool) -> None:
    if asked:
        print(f"prowess {__version__}")
        raise typer.Exit


def _root(
    _asked: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and leave."
    ),
) -> None: ...


def main() -> None:
    # A command lives for a moment: looking for garbage costs it more than the garbage would.
    gc.disable()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a file name may be no text at all
    code: str | int | None = 0
    try:
        code = make_app(*sys.argv[1:])(standalone_mode=False, prog_name="prowess") or 0
        sys.stdout.flush()
        sys.stderr.flush()
    except ProwessError as error:
        code = _told(error)
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:  # the reader has seen enough; what was done ended as it did
        _drop_output()
    except OSError as error:
        code = _failed(error)
    except SystemExit as left:  # Typer's way out, also when the reader has seen enough
        code = 0 if type(sys.stdout).__name__ == "PacifyFlushWrapper" else left.code
    except Exception as error:  # noqa: BLE001  sorted below, and raised again if it is a bug
        code = _usage(error)
    sys.exit(code)


def _failed(error: OSError) -> int:
    """A file that it names, the folder we stand in, which it never names, or else the output."""
    if error.filename:
        return _told(
            OutsideError(
                f"{error.filename}: {error.strerror}", hint="see that it is there, and yours"
            )
        )
    if isinstance(error, FileNotFoundError):  # of os.getcwd; no output fails so
        return _told(
            OutsideError(
                "the folder that you are in is gone", hint="go to one that is there, with cd"
            )
        )
    _drop_output()
    return _told(
        OutsideError(f"the output cannot be written: {error.strerror}", hint="check the disk"),
        in_json=False,
    )


def _drop_output() -> None:
    """What is still waiting to be written has nowhere to go, and must not fail again on the way out."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(nowhere, sys.stderr.fileno())


def _told(error: ProwessError, *, in_json: bool | None = None) -> int:
    """Say what, and what next; a program that asked for JSON gets JSON."""
    code, name = next(
        ((code, name) for kind, code, _, name in TOLD_AS if isinstance(error, kind)),
        (3, "INTERNAL_ERROR"),
    )
    if "--json" in sys.argv[1:] if in_json is None else in_json:
        from prowess.cli.output import print_json

        print_json({"error": True, "message": str(error), "code": name, "hint": error.hint})
    else:
        from prowess.cli.output import note

        note(f"prowess: {error}")
        if error.hint:
            note(f"  {error.hint}")
    return code


def _usage(error: Exception) -> int:
    """Typer's own complaints carry an exit code and know how to show themselves; anything else is our bug."""
    if type(error).__name__ == "Abort":
        return 130
    if not hasattr(error, "exit_code") or not hasattr(error, "show"):
        import traceback

        traceback.print_exception(error)
        print(
            "prowess: this is a mistake of Prowess, not yours; please report it with the lines above",
            file=sys.stderr,
        )
        return 3
    if "--json" in sys.argv[1:]:
        asked = getattr(getattr(error, "ctx", None), "command_path", "prowess")
        hint = f"`{asked} --help` tells what it takes"
        return _told(UsageError(error.format_message(), hint=hint))  # type: ignore[attr-defined]
    error.show()
    return int(error.exit_code)
