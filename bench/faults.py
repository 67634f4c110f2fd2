"""
Everyday faults, each with the call that anybody would make and what must have come of it.

A fault says nothing of how it is overcome. `files` lie in the workspace and `skill` in the skill's
folder when the call is made; the fault is recovered when the answer has `wanted` in it and the files
of `after` are as they are here. `only`: no other commands are installed. `flaky`: the command says
this, three times, before it works; the policy itself tries twice. The last family is there to be
lost: its faults need a choice that is not a tool's.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Files = Mapping[str, bytes | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    family: str
    name: str
    tool: str
    given: Mapping[str, Any]
    wanted: str = ""
    files: Files = field(default_factory=dict)
    skill: Files = field(default_factory=dict)
    after: Files = field(default_factory=dict)
    only: tuple[str, ...] = ()
    flaky: Mapping[str, str] = field(default_factory=dict)


def _text(
    family: str, tool: str, cases: Mapping[str, tuple[Mapping[str, Any], str, Files]]
) -> list[Fault]:
    return [
        Fault(family=family, name=name, tool=tool, given=given, wanted=wanted, files=files)
        for name, (given, wanted, files) in cases.items()
    ]


def _encodings() -> list[Fault]:
    german = "Größe: 12 Stück für Jürgen, ab Köln über München geliefert.\n"
    russian = "Отчёт: продажи за прошлый год, составлен для Москвы.\n"
    japanese = "売上報告書。東京の店舗では、昨年より多くの商品が販売されました。\n"
    read = {
        "western, as Windows writes it": ("note.txt", german.encode("cp1252"), "Jürgen"),
        "UTF-16 with a mark": ("note.txt", german.encode("utf-16"), "Jürgen"),
        "UTF-16 without a mark": ("log.txt", b"one line\nanother\n".decode().encode("utf-16-le"), "another"),
        "UTF-8 with a mark": ("note.txt", german.encode("utf-8-sig"), "Jürgen"),
        "Cyrillic": ("report.txt", (russian * 3).encode("cp1251"), "Москвы"),
        "Shift JIS": ("report.txt", (japanese * 3).encode("cp932"), "東京"),
    }  # fmt: skip
    faults = [
        Fault(
            family="encodings",
            name=f"Read: {name}",
            tool="Read",
            given={"file_path": path},
            wanted=wanted,
            files={path: data},
        )
        for name, (path, data, wanted) in read.items()
    ]
    return [
        *faults,
        Fault(
            family="encodings",
            name="Grep in a western file",
            tool="Grep",
            given={"pattern": "Jürgen"},
            wanted="note.txt:1:",
            files={"note.txt": german.encode("cp1252")},
        ),
        Fault(
            family="encodings",
            name="Edit keeps the encoding",
            tool="Edit",
            given={"file_path": "note.txt", "old_string": "12 Stück", "new_string": "13 Stück"},
            files={"note.txt": german.encode("cp1252")},
            after={"note.txt": german.replace("12", "13").encode("cp1252")},
        ),
        Fault(
            family="encodings",
            name="a command prints western text",
            tool="Bash",
            given={"command": "cat note.txt"},
            wanted="Jürgen",
            files={"note.txt": german.encode("cp1252")},
        ),
    ]


def _near_names() -> list[Fault]:
    there: Files = {"docs/User-Guide.md": "the guide\n", "src/parser.py": "print('parsed')\n"}
    said = {
        "letter case": "docs/user-guide.md",
        "underscore for hyphen": "docs/User_Guide.md",
        "plural": "docs/User-Guides.md",
        "another extension": "docs/User-Guide.txt",
        "a letter missing": "docs/User-Gide.md",
        "letters swapped": "docs/User-Giude.md",
    }
    faults = _text(
        "near-miss names",
        "Read",
        {f"Read: {name}": ({"file_path": path}, "the guide", there) for name, path in said.items()},
    )
    faults += _text(
        "near-miss names",
        "Bash",
        {
            "cat in the wrong case": ({"command": "cat docs/user-guide.md"}, "the guide", there),
            "python3 with a slip": ({"command": "python3 src/praser.py"}, "parsed", there),
        },
    )
    faults += _text(
        "near-miss names",
        "Grep",
        {"Grep in a file of nearly this name": ({"pattern": "guide", "path": "docs/user_guide.md"}, "the guide", there)},
    )  # fmt: skip
    return [
        *faults,
        Fault(
            family="near-miss names",
            name="Fetch with another punctuation",
            tool="Fetch",
            given={"file_path": "references/house_style.md"},
            wanted="short sentences",
            skill={"references/house-style.md": "short sentences\n"},
        ),
    ]


def _moved() -> list[Fault]:
    there: Files = {"src/app/settings.toml": "level = 3\n", "tools/build/make_index.py": "print('made')\n"}  # fmt: skip
    faults = _text(
        "moved files",
        "Read",
        {
            "Read: now in a folder": ({"file_path": "settings.toml"}, "level = 3", there),
            "Read: in another folder": ({"file_path": "config/settings.toml"}, "level = 3", there),
            "Read: one folder too many": (
                {"file_path": "project/src/app/settings.toml"},
                "level = 3",
                there,
            ),
            "Read: a path of another machine": (
                {"file_path": "/home/ada/project/src/app/settings.toml"},
                "level = 3",
                there,
            ),
        },
    )
    faults += _text(
        "moved files",
        "Bash",
        {
            "cat": ({"command": "cat config/settings.toml"}, "level = 3", there),
            "python3": ({"command": "python3 scripts/make_index.py"}, "made", there),
            "Grep of a moved file": ({"command": "grep level settings.toml"}, "level = 3", there),
        },
    )
    return [
        *faults,
        Fault(
            family="moved files",
            name="Fetch without the folder",
            tool="Fetch",
            given={"file_path": "forms.md"},
            wanted="Form A",
            skill={"references/forms.md": "Form A\n"},
        ),
    ]


def _commands() -> list[Fault]:
    usual = ("cat", "find", "grep", "ls", "od", "python3", "sha1sum", "sha256sum", "tr")
    there: Files = {
        "src/one.py": "needle = 1\n",
        "data.json": json.dumps({"items": [{"name": "first"}]}),
        "hello.py": "print('hello')\n",
        "notes.txt": "some notes\n",
    }
    cases = {
        "rg": ("rg needle src", "src/one.py"),
        "fd": ("fd one", "src/one.py"),
        "tree": ("tree src", "one.py"),
        "jq": ("jq -r '.items[0].name' data.json", "first"),
        "python": ("python hello.py", "hello"),
        "less": ("less notes.txt", "some notes"),
        "bat": ("bat notes.txt", "some notes"),
        "ll": ("ll src", "one.py"),
        "shasum": ("shasum -a 256 notes.txt", "notes.txt"),
        "xxd": ("xxd notes.txt", "some notes"),
        "egrep in a pipe": ("cat notes.txt | egrep 'so|me'", "some notes"),
    }
    return [
        Fault(
            family="missing commands",
            name=name,
            tool="Bash",
            given={"command": command},
            wanted=wanted,
            files=there,
            only=usual,
        )
        for name, (command, wanted) in cases.items()
    ]


def _transient() -> list[Fault]:
    again = "Resource temporarily unavailable"
    cases = {
        "cat: the system is busy": ("cat notes.txt", "cat", f"cat: notes.txt: {again}", "notes"),
        "ls: a stale handle": ("ls", "ls", "ls: cannot open directory '.': Stale file handle", "notes.txt"),
        "grep: too many open files": ("grep some notes.txt", "grep", "grep: notes.txt: Too many open files", "some"),
        "head: interrupted": ("head -1 notes.txt", "head", "head: error reading 'notes.txt': Interrupted system call", "some"),
        "wc after a reset connection": ("wc -l notes.txt", "wc", "wc: notes.txt: Connection reset by peer", "1"),
        "names cannot be resolved for a moment": ("curl --version", "curl", "curl: (6) getaddrinfo: Temporary failure in name resolution", "Protocols"),
    }  # fmt: skip
    return [
        Fault(
            family="transient errors",
            name=name,
            tool="Bash",
            given={"command": command},
            wanted=wanted,
            files={"notes.txt": "some notes\n"},
            flaky={flaky: message},
        )
        for name, (command, flaky, message, wanted) in cases.items()
    ]


def _locked() -> list[Fault]:
    there: Files = {"notes.txt": "some notes\n"}
    lock = "fatal: Unable to create '.git/index.lock': File exists."
    config = "error: could not lock config file .git/config: File exists"
    faults = [
        Fault(
            family="locked files",
            name=name,
            tool="Bash",
            given={"command": command},
            wanted=wanted,
            files=there,
            flaky={flaky: message},
        )
        for name, (command, flaky, message, wanted) in {
            "git waits for its index": ("git init", "git", lock, "Initialized"),
            "git waits for its settings": ("git init .", "git", config, "Initialized"),
            "a table is locked": ("cat notes.txt", "cat", "database is locked", "some notes"),
            "a program that is being written": ("ls", "ls", "bash: ls: Text file busy", "notes.txt"),
        }.items()
    ]  # fmt: skip
    return [
        *faults,
        Fault(
            family="locked files",
            name="Edit of a file that may only be read",
            tool="Edit",
            given={"file_path": "notes.txt", "old_string": "some", "new_string": "many"},
            files={"notes.txt|444": "some notes\n"},
            after={"notes.txt": "many notes\n"},
        ),
    ]


def _arguments() -> list[Fault]:
    there: Files = {"notes.txt": "some notes\nmore notes\n", "src/one.py": "needle = 1\n"}
    cases: list[tuple[str, str, Mapping[str, Any], str, Files]] = [
        ("Read by path", "Read", {"path": "notes.txt"}, "some notes", {}),
        ("read_file by filename", "read_file", {"filename": "notes.txt"}, "some notes", {}),
        ("shell with cmd", "shell", {"cmd": "cat notes.txt"}, "some notes", {}),
        ("execute_command", "execute_command", {"command": "cat notes.txt"}, "some notes", {}),
        ("Grep with query and directory", "Grep", {"query": "needle", "directory": "src"}, "one.py", {}),
        ("str_replace with old_str", "str_replace", {"path": "notes.txt", "old_str": "some", "new_str": "many"}, "", {"notes.txt": "many notes\nmore notes\n"}),
        ("write_file with text", "write_file", {"path": "new.txt", "text": "made\n"}, "", {"new.txt": "made\n"}),
        ("Glob in another spelling", "glob", {"pattern": "src/*.py"}, "src/one.py", {}),
        ("camel case", "Edit", {"filePath": "notes.txt", "oldString": "more", "newString": "less"}, "", {"notes.txt": "some notes\nless notes\n"}),
        ("Grep with -i and -n", "Grep", {"pattern": "NEEDLE", "-i": True, "-n": True}, "one.py", {}),
    ]  # fmt: skip
    return [
        Fault(
            family="wrong arguments",
            name=name,
            tool=tool,
            given=given,
            wanted=wanted,
            files=there,
            after=after,
        )
        for name, tool, given, wanted, after in cases
    ]


def _json() -> list[Fault]:
    there: Files = {"notes.txt": "".join(f"line {number}\n" for number in range(1, 21))}
    cases: list[tuple[str, str, Mapping[str, Any], str, Files]] = [
        ("a trailing comma", "Read", {"arguments": '{"file_path": "notes.txt",}'}, "line 7", {}),
        ("a comment", "Read", {"input": '{"file_path": "notes.txt" /* the notes */}'}, "line 7", {}),
        ("arguments inside arguments", "Bash", {"parameters": {"command": "cat notes.txt"}}, "line 7", {}),
        ("a number as text", "Read", {"file_path": "notes.txt", "offset": "7", "limit": "1"}, "line 7", {}),
        ("a truth as text", "Edit", {"file_path": "notes.txt", "old_string": "line 7", "new_string": "LINE", "replace_all": "True"}, "Edited", {}),
        ("an object for the text of a file", "Write", {"file_path": "data.json", "content": {"a": 1}}, "", {"data.json": '{\n  "a": 1\n}'}),
        ("fields that are null", "Read", {"file_path": "notes.txt", "offset": None, "limit": None}, "line 7", {}),
    ]  # fmt: skip
    return [
        Fault(
            family="JSON slips",
            name=name,
            tool=tool,
            given=given,
            wanted=wanted,
            files=there,
            after=after,
        )
        for name, tool, given, wanted, after in cases
    ]


def _line_ends() -> list[Fault]:
    family, dos = "line ends", "one\r\ntwo\r\nthree\r\n"
    script = '#!/bin/bash\r\nfor each in a b; do\r\n  echo "<$each>"\r\ndone\r\n'
    edit = {"old_string": "one\ntwo", "new_string": "one\nTWO"}
    faults = [
        Fault(family=family, name="Edit of a Windows file", tool="Edit", given={"file_path": "a.txt", **edit},
              files={"a.txt": dos}, after={"a.txt": "one\r\nTWO\r\nthree\r\n"}),
        Fault(family=family, name="Windows line ends quoted of a file without", tool="Edit",
              given={"file_path": "a.txt", "old_string": "one\r\ntwo", "new_string": "one\r\nTWO"},
              files={"a.txt": dos.replace("\r", "")}, after={"a.txt": "one\nTWO\nthree\n"}),
        Fault(family=family, name="Edit of a Windows file in UTF-16", tool="Edit",
              given={"file_path": "a.txt", **edit}, files={"a.txt": dos.encode("utf-16")},
              after={"a.txt": "one\r\nTWO\r\nthree\r\n".encode("utf-16")}),
    ]  # fmt: skip
    runs = {
        "bash script.sh": ("script.sh", "bash script.sh", script),
        "./script.sh": ("script.sh|755", "./script.sh", script),
        "./script.py": ("script.py|755", "./script.py", "#!/usr/bin/env python3\r\nprint('<a>')\r\n"),
    }  # fmt: skip
    return faults + [
        Fault(
            family=family,
            name=f"{name} with Windows line ends",
            tool="Bash",
            given={"command": command},
            wanted="<a>\n" if name == "bash script.sh" else "<a>",
            files={path: text},
        )
        for name, (path, command, text) in runs.items()
    ]


def _parents() -> list[Fault]:
    cases: dict[str, tuple[str, Mapping[str, Any], Files]] = {
        "Write in a new folder": ("Write", {"file_path": "out/a.txt", "content": "x\n"}, {"out/a.txt": "x\n"}),
        "Write several folders deep": ("Write", {"file_path": "a/b/c/d.txt", "content": "x\n"}, {"a/b/c/d.txt": "x\n"}),
        "a redirection": ("Bash", {"command": "echo x > out/a.txt"}, {"out/a.txt": "x\n"}),
        "an appending redirection": ("Bash", {"command": "echo x >>logs/today/a.txt"}, {"logs/today/a.txt": "x\n"}),
        "cp": ("Bash", {"command": "cp notes.txt backup/old/notes.txt"}, {"backup/old/notes.txt": "x\n"}),
        "mv": ("Bash", {"command": "mv notes.txt archive/notes.txt"}, {"archive/notes.txt": "x\n"}),
        "touch": ("Bash", {"command": "touch src/new/__init__.py"}, {"src/new/__init__.py": ""}),
        "mkdir": ("Bash", {"command": "mkdir src/new && echo x > src/new/a.txt"}, {"src/new/a.txt": "x\n"}),
        "tee": ("Bash", {"command": "cat notes.txt | tee out/copy.txt"}, {"out/copy.txt": "x\n"}),
    }  # fmt: skip
    return [
        Fault(
            family="missing folders",
            name=name,
            tool=tool,
            given=given,
            files={"notes.txt": "x\n"},
            after=after,
        )
        for name, (tool, given, after) in cases.items()
    ]


def _execute_bit() -> list[Fault]:
    cases: dict[str, tuple[str, Files]] = {
        "./run.sh": ("./run.sh", {"run.sh": "#!/bin/bash\necho ran\n"}),
        "a script in a folder": ("scripts/run.sh now", {"scripts/run.sh": "echo ran $1\n"}),
        "./run.py": ("./run.py", {"run.py": "#!/usr/bin/env python3\nprint('ran')\n"}),
        "a script with no first line": ("./run.py", {"run.py": "print('ran')\n"}),
        "after another command": ("echo first && ./run.sh", {"run.sh": "#!/bin/sh\necho ran\n"}),
        "with its whole path": ("$PWD/run.sh", {"run.sh": "#!/bin/sh\necho ran\n"}),
        "with arguments": ("./run.sh one two", {"run.sh": "#!/bin/sh\necho ran $2\n"}),
    }
    return _text(
        "no execute permission",
        "Bash",
        {name: ({"command": command}, "ran", files) for name, (command, files) in cases.items()},
    )


def _long_output() -> list[Fault]:
    numbers = "".join(f"line {number}\n" for number in range(1, 60_001))
    many = {f"src/module_{number}.py": "x = 1\n" for number in range(700)}
    family = "long output"
    shown = {
        "the verdict is at the end": ("seq 200000; echo 3 tests failed", "3 tests failed"),
        "the heading is at the beginning": ("echo Report of May; seq 200000", "Report of May"),
        "more than can be kept": ("yes | head -c 9000000; echo the end >&2", "the end"),
        "one endless line": (
            "head -c 300000 /dev/zero | tr '\\0' x; echo; echo the end",
            "the end",
        ),
    }
    return [
        *_text(
            family,
            "Bash",
            {name: ({"command": command}, wanted, {}) for name, (command, wanted) in shown.items()},
        ),
        *_text(
            family,
            "Read",
            {"a long file": ({"file_path": "a.log"}, "go on with offset=", {"a.log": numbers})},
        ),
        *_text(
            family,
            "Grep",
            {"too many matches": ({"pattern": "line"}, "a.log:1:", {"a.log": numbers})},
        ),
        *_text(family, "Glob", {"too many files": ({"pattern": "**/*.py"}, "more]", many)}),
    ]


def _quotes() -> list[Fault]:
    source = "def total(items):\n    return sum(items)\n\n\ndef main():\n    print(total([1]))\n"
    cases: dict[str, tuple[str, str, str, str]] = {
        "with the line numbers of Read": (source, "     2\t    return sum(items)", "     2\t    return sum(items) + 1", source.replace("sum(items)", "sum(items) + 1")),
        "blanks at line ends of the file": (source.replace("items):\n", "items):  \n"), "def total(items):\n    return sum(items)\n", "def total(items):\n    return 0\n", source.replace("sum(items)", "0")),
        "blanks at line ends of the quote": (source, "def total(items):   \n    return sum(items)\n", "def total(items):\n    return 0\n", source.replace("sum(items)", "0")),
        "another indentation": (source, "def total(items):\n  return sum(items)\n", "def total(items):\n  return 0\n", source.replace("sum(items)", "0")),
        "typographic quotes": ("print('hello')\n", "print(\u2018hello\u2019)", "print('bye')", "print('bye')\n"),
    }  # fmt: skip
    return [
        Fault(
            family="inexact quotes",
            name=name,
            tool="Edit",
            given={"file_path": "a.py", "old_string": old, "new_string": new},
            files={"a.py": text},
            after={"a.py": after},
        )
        for name, (text, old, new, after) in cases.items()
    ]


def _searches() -> list[Fault]:
    there: Files = {
        "src/deep/parser.py": "value = compute(1)\narray[0] = 2\n",
        "README.md": "read me\n",
    }
    family = "search slips"
    return [
        *_text(
            family,
            "Glob",
            {
                "a pattern without folders": ({"pattern": "parser.py"}, "src/deep/parser.py", there),
                "a star that crosses no folder": ({"pattern": "*.py"}, "src/deep/parser.py", there),
                "another letter case": ({"pattern": "readme.md"}, "README.md", there),
            },
        ),
        *_text(
            family,
            "Grep",
            {
                "an open bracket": ({"pattern": "compute("}, "parser.py:1:", there),
                "an open square bracket": ({"pattern": "array["}, "parser.py:2:", there),
                "a folder in another case": ({"pattern": "value", "path": "SRC"}, "parser.py:1:", there),
            },
        ),
    ]  # fmt: skip


def _judgement() -> list[Fault]:
    """What nobody should guess: here a tool does right to say what there is and leave the choice."""
    family = "needs judgement"
    two: Files = {"a/settings.toml": "level = 1\n", "b/settings.toml": "level = 2\n"}
    faults = _text(
        family,
        "Read",
        {
            "two files are equally near": ({"file_path": "settings.toml"}, "level = 1", two),
            "there is no such file": ({"file_path": "budget.xlsx"}, "total", two),
        },
    )
    faults += _text(
        family,
        "Bash",
        {
            "a command that nothing stands in for": ({"command": "buildwright --list"}, "build", two),
            "a program with a mistake in it": ({"command": "python3 run.py"}, "ran", {"run.py": "print('ran'\n"}),
        },
    )  # fmt: skip
    return [
        *faults,
        Fault(
            family=family,
            name="a quote that is there twice",
            tool="Edit",
            given={"file_path": "a.txt", "old_string": "same", "new_string": "other"},
            files={"a.txt": "same\nsame\n"},
            after={"a.txt": "other\nsame\n"},
        ),
    ]


FAULTS: tuple[Fault, ...] = (
    *_encodings(),
    *_near_names(),
    *_moved(),
    *_commands(),
    *_transient(),
    *_locked(),
    *_arguments(),
    *_json(),
    *_line_ends(),
    *_parents(),
    *_execute_bit(),
    *_long_output(),
    *_quotes(),
    *_searches(),
    *_judgement(),
)
