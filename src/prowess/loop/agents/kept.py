"""
The file that an agent keeps of its conversation, for what its stream leaves out.

Gemini and Qwen tell of every command as a success, but write what they showed the model, with the exit
code, into a file in their home, which is ours while they run. It is read as it grows.
"""

import glob
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from prowess.loop.agents.loose import json_line, table, text

_CODE = re.compile(r"^Exit Code: (-?\d{1,10})\s*$", re.MULTILINE)
_DEEPEST = 8  # levels at which a call's answer is looked for


@dataclass(kw_only=True)
class Kept:
    """
    `pattern` says where the files are; `codes` are those of the calls that are written down, `error` and
    `status` what a provider answered last to a request that failed.
    """

    pattern: str
    codes: dict[str, int] = field(default_factory=dict)
    error: str = ""
    status: int | None = None
    _read: dict[str, int] = field(default_factory=dict)

    def look(self) -> None:
        """Take in what was written since the last time; an unfinished line waits for its end."""
        for path in glob.glob(self.pattern):
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                file.seek(self._read.get(path, 0))
                whole = file.read().rpartition(b"\n")[0]
            self._read[path] = self._read.get(path, 0) + len(whole)
            for line in whole.split(b"\n"):
                said = json_line(line)
                self._take_error(said or {})
                for answer in _answers(said, _DEEPEST):
                    self._take(answer)

    def _take_error(self, said: Mapping[str, Any]) -> None:
        """Qwen asks a failing provider again and again, and tells of it here only."""
        told = table(table(said.get("systemPayload")).get("uiEvent"))
        if text(told.get("event.name")).endswith(".api_error"):
            status = told.get("status_code")
            self.error = text(told.get("error_message"))
            self.status = status if isinstance(status, int) else None

    def _take(self, answer: Any) -> None:
        """A code is written down when it is not 0; the last is the agent's, the command can print more."""
        found = _CODE.findall(text(table(table(answer).get("response")).get("output")))
        self.codes[text(table(answer).get("id"))] = int(found[-1]) if found else 0


def _answers(value: Any, levels: int) -> Iterator[Any]:
    """Every `functionResponse` in a value, wherever it is."""
    if levels == 0 or not isinstance(value, dict | list):
        return
    if isinstance(value, dict) and "functionResponse" in value:
        yield value["functionResponse"]
        return
    for inner in value.values() if isinstance(value, dict) else value:
        yield from _answers(inner, levels - 1)
