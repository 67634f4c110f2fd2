"""The variables that a command line may set for a command, and what it may never call."""

from prowess.permit.shell.words import RefusedError, Word

HARMLESS = frozenset(
    "NODE_ENV CI NO_COLOR FORCE_COLOR CLICOLOR TERM LANG LANGUAGE TZ COLUMNS LINES"
    " PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED RUST_BACKTRACE RUST_LOG"
    " GOOS GOARCH CGO_ENABLED".split()
)

# Builtins that change what later words mean, and words that only begin a larger construct.
NEVER = frozenset(
    "eval source . exec trap alias unalias enable hash builtin set shopt export declare typeset"
    " local readonly unset read mapfile readarray let bind complete compgen compopt fc history"
    " getopts coproc select function if then else elif fi for while until do done case esac in"
    " { } ! [[ ]] (( ))".split()
)


def check_assignment(name: str, value: Word) -> None:
    if name not in HARMLESS and not name.startswith("LC_"):
        raise RefusedError(
            f"`{name}=` may not be set here; only harmless ones such as CI, LANG, TZ, NODE_ENV may"
        )
    if not value.literal:
        raise RefusedError(f"the value of `{name}=` must be written out")
