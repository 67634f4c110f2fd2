"""git, in which settings name programs, and subcommands run them by options of their own."""

from collections.abc import Mapping, Sequence

from prowess.workflow.shell.options import Options
from prowess.workflow.shell.word import Word, refused

_VALUED = frozenset("-c -C --git-dir --work-tree --namespace --exec-path --super-prefix --attr-source".split())  # fmt: skip
_TEMPLATE = "--template"  # its hooks are run later
_CALLBACKS = "blob commit email file-info filename message name refname reset tag".split()
_BY_SUBCOMMAND: Mapping[str, Options] = {
    "clone": Options(("-c", "-u", "--config", _TEMPLATE), "bjo"),
    **dict.fromkeys(("init", "init-db"), Options((_TEMPLATE,))),
    "rebase": Options(("-x",), "CSXs"),
    "difftool": Options(("-x", "-t", "--tool"), "O"),
    "mergetool": Options(("-t", "--tool"), "O"),
    "grep": Options(("-O",), "ABCefm"),
    "send-email": Options(
        ("--smtp-server", "--sendmail-cmd", "--to-cmd", "--cc-cmd", "--header-cmd"), whole=("--to", "--cc", "--smtp-server-port"),
    ),
    "filter-repo": Options(tuple(f"--{name}-callback" for name in _CALLBACKS)),
    "daemon": Options(("--access-hook",)),
    "instaweb": Options(("-d", "-b", "--httpd", "--browser"), "mp"),
}  # fmt: skip
# Subcommands, and the word after which all others are the words of a program.
_HANDING_ON = {"submodule": "foreach", "bisect": "run", "filter-branch": "", "for-each-repo": "", "remote-ext": "", "shell": ""}  # fmt: skip
_PLAIN_SETTINGS = ("user.", "author.", "committer.", "branch.", "init.", "color.")
_PLAIN = "use a plain command, or a script that takes the value as an argument"


def check_git(rest: Sequence[Word]) -> None:
    """Refuse a value in the words after `git` that could name a program to run."""
    at = 0
    while at < len(rest) and rest[at].is_option:
        at += 2 if rest[at].text in _VALUED else 1
    own, subcommand, words = rest[:at], rest[at : at + 1], rest[at + 1 :]
    if any(word.has_slot for word in own) and any(word.text[:2] == "-c" for word in own):
        raise refused("a setting of git can name a program to run", _PLAIN)
    for word in subcommand:
        if word.has_slot:
            raise refused("a value cannot choose what git does", "write the subcommand's name")
        _check_subcommand(word.text, words)


def _check_subcommand(name: str, words: Sequence[Word]) -> None:
    if name == "config":
        key = next((word.text for word in words if not word.is_option), "")
        if not key.startswith(_PLAIN_SETTINGS):
            raise refused("a setting of git can name a program to run", _PLAIN)
    marked = name in _HANDING_ON and any(word.text.startswith(_HANDING_ON[name]) for word in words)
    if marked or (name in _BY_SUBCOMMAND and _BY_SUBCOMMAND[name].choose(words)):
        raise refused(f"`git {name}` would run a program that a value names", _PLAIN)
