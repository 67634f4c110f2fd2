"""
Options that name a program to run, in whatever way they are written: whole, cut short, glued to what
they name, or as one of several letters in a word.

A value that is glued to such letters can add to them: `-a{x}` is `-ae…` where the value says so.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prowess.workflow.shell.word import Word

_LETTERS = re.compile(r"-?[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Options:
    """
    `runs`: options that name a program, as they begin. `valued`: letters of others that take a word,
    after which the rest of theirs is text; None where letters never stand together. `whole`: options
    that run nothing although one of these begins like them.
    """

    runs: tuple[str, ...]
    valued: str | None = None
    whole: tuple[str, ...] = ()

    def choose(self, words: Sequence[Word], *, bundled: bool = False) -> bool:
        """
        Whether a value in these words names the program of an option.

        `bundled`: the first word has letters without a dash, and the words after it belong to them.
        """
        for at, word in enumerate(words):
            first = bundled and at == 0
            near = words if first else words[at : at + 2]
            if any(each.has_slot for each in near) and self._is_among(word.text, bundled=first):
                return True
            if word.has_slot and self._is_open(word, bundled=first):
                return True
        return False

    def _is_among(self, text: str, *, bundled: bool) -> bool:
        if text.partition("=")[0] in self.whole:
            return False
        return any(_is_like(text, option) for option in self.runs) or any(
            f"-{letter}" in self.runs for letter in self._letters(text, bundled=bundled)
        )

    def _letters(self, text: str, *, bundled: bool) -> str:
        """The letters in this word that are options."""
        found = _LETTERS.fullmatch(text) if self.valued is None else _LETTERS.match(text)
        if not found or not (bundled or text[0] == "-"):
            return ""
        letters = found[0].lstrip("-")
        if bundled or self.valued is None:
            return letters
        ends = (at for at, letter in enumerate(letters, 1) if letter in self.valued)
        return letters[: next(ends, len(letters))]

    def _is_open(self, word: Word, *, bundled: bool) -> bool:
        """Whether a value in it stands where another letter may, or ends the name of an option."""
        if bundled and not word.is_option:
            return True
        begins = word.parts[0] if word.parts else ""
        if not isinstance(begins, str) or not begins.startswith("-"):
            return False
        if any(option.startswith(begins) for option in self.runs):
            return True
        letters = self.valued is not None and _LETTERS.fullmatch(begins)
        return bool(letters) and self._letters(begins, bundled=False)[-1] not in (self.valued or "")


def _is_like(text: str, option: str) -> bool:
    """Whether this is the option, with its value or without, or cut short."""
    if text.startswith(option):
        return True
    return option.startswith("--") and len(text) > len("--") and option.startswith(text.split("=", 1)[0])  # fmt: skip


RUNS: Mapping[str, Options] = {
    "tar": Options(
        ("-I", "-F", "--use-compress", "--to-command", "--checkpoint-action", "--info-script",
         "--new-volume-script", "--rsh-command", "--rmt-command"), "CHKLNTVXbfg",
    ),
    "git": Options(("--config-env", "--upload-pack", "--receive-pack", "--exec", "--extcmd", "--open-files-in-pager")),
    "rsync": Options(("-e", "--rsh", "--rsync-path"), "@BMTf"),
    "scp": Options(("-o", "-S", "-D"), "FJPXcil"), "sftp": Options(("-o", "-S", "-D"), "BFJPRXbcils"),
    "sort": Options(("--compress-program",)), "split": Options(("--filter",)),
    "man": Options(("-P", "--pager"), "CELMRSems"),
    **dict.fromkeys(("nc", "ncat", "netcat"), Options(("-e", "-c", "--exec", "--sh-exec", "--lua-exec"), "GIMOPTVWXgimopqswx")),
    **dict.fromkeys(("npm", "npx"), Options(("-c", "--call"))),
    "go": Options(("-exec", "-toolexec", "-vettool")), "rg": Options(("--pre", "--hostname-bin")),
    "bat": Options(("--pager",)),
    **dict.fromkeys(("fd", "fdfind"), Options(("-x", "-X", "--exec"), "CEScdejot")),
    **dict.fromkeys(("docker", "podman", "nerdctl"), Options(("--entrypoint",))),
    **dict.fromkeys(("cc", "gcc", "g++", "c++", "clang", "clang++"), Options(("-wrapper", "-fplugin", "-B", "-specs", "--specs"), "DILOTUWXfglmoux")),
    "cmake": Options(("-P", "-E", "-C"), "ABDGSTUW"), "openssl": Options(("-engine", "-provider", "-config")),
    "nmap": Options(("--script",)), "pytest": Options(("-p", "-c", "-o", "--override-ini"), "Wkmnr"),
    "redis-cli": Options(("eval", "EVAL", "--eval")), "fzf": Options(("--preview", "--bind", "--with-shell")),
    "tcpdump": Options(("-z",), "BCEFGMTVWZcijmrswy"),
    "wget": Options(("--use-askpass", "-e", "--execute"), "ABDGIOPQRTUXailotw"),
    "xterm": Options(("-e",)), "zip": Options(("-TT", "--unzip-command")),
    **dict.fromkeys(("apt", "apt-get"), Options(("-o", "--option"))), "cargo": Options(("--config",)),
}  # fmt: skip
