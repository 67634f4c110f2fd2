"""
A stand-in for a model: it has habits, and gives each of them up when its prompt says so.

It knows neither the tasks nor which way it is run. The rules are looked for in the words of the
prompt; without any of them it works as somebody in a hurry does, in a shell, and with all of them as
the prompt says. What it does next follows from the conversation alone.
"""

import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from prowess.core.chat import Message, Reply, Usage
from prowess.model.scripted import call, final

# A rule, and the words that make it one.
RULES: Mapping[str, str] = {
    "structured": "Use the structured tools of your host first",
    "literal": "`-F` unless you need a regular expression",
    "written": "Leave out what nobody wrote by hand",
    "read": "Open the best one or two places",
    "twice": "Never trust absence from one query",
    "once": "Do not repeat a query with",
    "places": "State what you now know with `path:line`",
}
_TICKED = re.compile(r"`([^`]+)`")
_HIT = re.compile(r"^(?:\./)?(?P<path>[^:\n]+):(?P<line>\d+):\s?(?P<text>.*)$", re.MULTILINE)
_CRITERION = re.compile(r"^- (.+)$", re.MULTILINE)
_CHARACTERS = 4  # of a token, roughly

Claim = dict[str, Any]


def rules_in(prompt: str) -> frozenset[str]:
    words = " ".join(prompt.split())
    return frozenset(name for name, told in RULES.items() if told in words)


def reader(messages: Sequence[Message]) -> Reply:
    """The next turn: the way so far is gone again, and then one step more."""
    instructions = "\n".join(each.text for each in messages if each.role == "system")
    task = next(each.text for each in messages if each.role == "user")
    seen = [each.text for each in messages if each.role == "tool"]
    turns = _work(_Reader(rules=rules_in(instructions)), task)
    turn = next(turns)
    for text in seen:
        turn = turns.send(text)
    told = sum(len(each.text) for each in messages)
    said = len(turn.message.text) + sum(len(str(each.input)) for each in turn.message.calls)
    usage = Usage(input_tokens=told // _CHARACTERS, output_tokens=said // _CHARACTERS, cost=0.0)
    return replace(turn, usage=usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hit:
    path: str
    line: int
    text: str


@dataclass(slots=True, kw_only=True)
class _Reader:
    rules: frozenset[str]
    known: dict[tuple[str, str], list[_Hit]] = field(default_factory=dict)
    failed: bool = False  # the last search was an error, and no answer


def _work(self: _Reader, task: str) -> Generator[Reply, str, None]:
    id_, criteria = re.findall(r"^# Task (\S+):", task)[0], _CRITERION.findall(task)
    claims, places = [], []
    for criterion in criteria:
        claim = yield from _judge(self, criterion)
        claims.append(claim)
        places += [item["location"] for item in claim["evidence"] if "location" in item]
    verdicts = {claim["verdict"] for claim in claims}
    verdict = next(each for each in ("FAIL", "INCONCLUSIVE", "PASS") if each in verdicts)
    if "places" in self.rules:
        said = "\n".join(f"Seen at `{place}`." for place in places)
    else:
        said = "I verified the task. Everything that was asked for is implemented and works."
    evidence = {
        "schemaVersion": 1,
        "taskId": id_,
        "verdict": verdict,
        "criteria": claims,
        "filesAllowed": {"verdict": "PASS", "modifiedFiles": []},
    }
    yield final(f"{said}\n\n```json\n{json.dumps(evidence, indent=1)}\n```")


def _judge(self: _Reader, criterion: str) -> Generator[Reply, str, Claim]:
    pattern, *places = _TICKED.findall(criterion)
    place = places[0] if places else "."
    if "file named like" in criterion:
        return (yield from _named(self, criterion, pattern))
    hits = yield from _search(self, pattern, place)
    if not hits and "twice" in self.rules:
        hits = yield from _grep(self, _spellings(pattern), ".")
    absent_is_good = "nothing" in criterion
    if hits:
        hit = yield from _confirmed(self, hits[0])
        shown = _item("file_inspection", f"it says `{hit.text}`", f"{hit.path}:{hit.line}")
        return _claim(criterion, "FAIL" if absent_is_good else "PASS", shown)
    if self.failed:
        return _claim(criterion, "INCONCLUSIVE", _item("command_output", "the search failed", ""))
    quoted = f"git grep -q -i -F -e '{pattern}'"
    command = quoted if "literal" in self.rules else f'grep -rnI "{pattern}" .'
    shown = _item("command_output", "it ends with exit code 1", command)
    return _claim(criterion, "PASS" if absent_is_good else "FAIL", shown)


def _search(self: _Reader, pattern: str, place: str) -> Generator[Reply, str, list[_Hit]]:
    if "once" in self.rules and (pattern, place) in self.known:
        return self.known[pattern, place]
    if "structured" in self.rules:
        asked = re.escape(pattern) if "literal" in self.rules else pattern
        hits = yield from _grep(self, asked, place)
    else:
        hits = yield from _shell(self, pattern, place)
    self.known[pattern, place] = hits
    return hits


def _grep(self: _Reader, pattern: str, place: str) -> Generator[Reply, str, list[_Hit]]:
    seen = yield call("Grep", pattern=pattern, path=place)
    self.failed = False
    hits = _hits(seen)
    if "written" in self.rules:
        hits = [hit for hit in hits if not hit.path.startswith(("vendor/", "dist/"))] or hits
    return hits


def _shell(self: _Reader, pattern: str, place: str) -> Generator[Reply, str, list[_Hit]]:
    """As often as it takes to be answered, and in a wider place when the narrow one is refused."""
    for command in (f'rg -n "{pattern}" {place}', f'grep -rn "{pattern}" .'):
        seen = yield call("Bash", command=command)
        self.failed = "[stderr]" in seen
        hits = [hit for hit in _hits(seen) if pattern in hit.text]
        if hits:
            return hits
    return []


def _named(self: _Reader, criterion: str, name: str) -> Generator[Reply, str, Claim]:
    if "structured" in self.rules:
        seen = yield call("Glob", pattern=f"**/*{name}*")
    else:
        seen = yield call("Bash", command=f"find . -name *{name}*")
    found = [line.removeprefix("./") for line in seen.splitlines() if name in line]
    if not found or "[stderr]" in seen:
        return _claim(criterion, "INCONCLUSIVE", _item("command_output", "the search failed", ""))
    return _claim(criterion, "PASS", _item("file_existence", "present", found[0]))


def _confirmed(self: _Reader, hit: _Hit) -> Generator[Reply, str, _Hit]:
    """With the words as the file has them, where the prompt asks for a look."""
    if "read" not in self.rules:
        return hit
    first = max(1, hit.line - 15)
    seen = yield call("Read", file_path=hit.path, offset=first, limit=30)
    found = re.search(rf"^\s*{hit.line}\t(.*)$", seen, re.MULTILINE)
    return replace(hit, text=found[1].strip()) if found else hit


def _hits(seen: str) -> list[_Hit]:
    return [
        _Hit(path=found["path"], line=int(found["line"]), text=found["text"].strip())
        for found in _HIT.finditer(seen)
    ]


def _spellings(pattern: str) -> str:
    """Any case, and any joint between its words."""
    return "(?i)" + "[_-]?".join(map(re.escape, re.split(r"[_-]", pattern)))


def _item(type_: str, description: str, location: str) -> Claim:
    item = {"type": type_, "description": description, "location": location, "confidence": 0.95}
    return {name: value for name, value in item.items() if value != ""}


def _claim(criterion: str, verdict: str, *evidence: Claim) -> Claim:
    reason = {} if verdict == "PASS" else {"reason": "see the evidence"}
    return {"criterion": criterion, "verdict": verdict, **reason, "evidence": list(evidence)}
