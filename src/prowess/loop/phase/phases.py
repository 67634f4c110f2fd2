"""
The phases of a task as data: what is done in each, and where it leads.

A file is judged whole before anything begins: every mistake at once, each with its line.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from prowess.core.errors import SkillError, UsageError
from prowess.core.placed_yaml import Placed, read_placed
from prowess.loop.phase.guards import Guard, GuardError, parse_guard
from prowess.loop.phase.ways import never_ending, never_reached

DEFAULT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workflows", "default.yaml")
MAX_BYTES = 256 * 1024
Type = Literal["execute", "evaluate", "script", "terminal"]
Does = Literal["check", "review"]
Mark = Literal["R", "x", "~"]
_KEYS = {
    "execute": {"type", "transitions"},
    "evaluate": {"type", "does", "transitions"},
    "script": {"type", "command", "transitions"},
    "terminal": {"type", "mark"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """Without a guard it is always taken."""

    to: str
    guard: Guard | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """`does` is for evaluate, `command` for script, `mark` for terminal: what the plan then says."""

    name: str
    type: Type
    does: Does = "check"
    command: str = ""
    mark: Mark = "x"
    transitions: tuple[Transition, ...] = ()


BLOCKED = Phase(name="blocked", type="terminal", mark="~")  # where the phases themselves do not end


@dataclass(frozen=True, slots=True, kw_only=True)
class Phases:
    start: str
    phases: Mapping[str, Phase]

    def after(self, phase: Phase, status: Mapping[str, Any]) -> Phase:
        """Where a phase leads, as things stand."""
        for transition in phase.transitions:
            if transition.guard is None or transition.guard.holds({"status": status}):
                return self.phases[transition.to]
        raise UsageError(
            f"no transition of the phase {phase.name!r} applies",
            hint="end its list with a transition that has no `when`",
        )


def read_phases(path: str = DEFAULT) -> str:
    """The text of a file of phases; `UsageError` when it is none."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(MAX_BYTES + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"the phases {path} cannot be read: {error}", hint="name a YAML file"
        ) from None
    parse_phases(text, path)
    return text


def parse_phases(text: str, path: str = "phases") -> Phases:
    """The phases of a file; `UsageError` tells all that is wrong with it, line by line."""
    try:
        placed = read_placed(text)
    except SkillError as error:
        raise UsageError(f"{path}:{error.line or 1}: {error}", hint=error.hint) from None
    wrong: list[tuple[int, str]] = []
    phases = _phases(placed, wrong)
    _connected(placed, phases, wrong)
    if wrong:
        told = "\n".join(f"{path}:{line}: {what}" for line, what in sorted(set(wrong)))
        raise UsageError(
            f"the phases make no sense\n{told}", hint="docs/loop.md shows what may stand there"
        )
    return Phases(start=placed.value["start"], phases=phases)


def _phases(placed: Placed, wrong: list[tuple[int, str]]) -> dict[str, Phase]:
    value = placed.value
    unknown = value.keys() - {"version", "start", "phases"}
    wrong += [(placed.key((key,))[0], f"there is no field {key!r}") for key in unknown]
    if value.get("version") is True or value.get("version") != 1:
        wrong.append((placed.place(("version",))[0], "version is 1"))
    given = value.get("phases")
    if not isinstance(given, dict) or not given:
        wrong.append((placed.place(("phases",))[0], "phases is a table of phases by name"))
        return {}
    return {name: _phase(placed, name, each, wrong) for name, each in given.items()}


def _phase(placed: Placed, name: str, given: Any, wrong: list[tuple[int, str]]) -> Phase:
    path = ("phases", name)
    kind: Any = given.get("type") if isinstance(given, dict) else None
    if kind not in get_args(Type):
        wrong.append((placed.place(path)[0], f"{name}: type is {' or '.join(_KEYS)}"))
        return Phase(name=name, type="terminal")
    wrong += [
        (placed.key((*path, key))[0], f"{name}: {kind} has no field {key!r}")
        for key in given.keys() - _KEYS[kind]
    ]
    for key, allowed in (("does", get_args(Does)), ("mark", get_args(Mark))):
        if key in _KEYS[kind] and given.get(key) not in allowed:
            wrong.append(
                (placed.place((*path, key))[0], f"{name}: {key} is {' or '.join(allowed)}")
            )
    command = given.get("command")
    if kind == "script" and not (isinstance(command, str) and command.strip()):
        wrong.append((placed.place((*path, "command"))[0], f"{name}: command is a line of shell"))
    return Phase(
        name=name,
        type=kind,
        does=given.get("does", "check"),
        command=str(given.get("command", "")),
        mark=given.get("mark", "x"),
        transitions=() if kind == "terminal" else _transitions(placed, name, given, wrong),
    )


def _transitions(
    placed: Placed, name: str, given: Mapping[str, Any], wrong: list[tuple[int, str]]
) -> tuple[Transition, ...]:
    listed = given.get("transitions")
    path = ("phases", name, "transitions")
    if not isinstance(listed, list) or not listed:
        wrong.append((placed.place(path)[0], f"{name}: transitions is a list of where it leads"))
        return ()
    made = []
    for number, each in enumerate(listed):
        line = placed.place((*path, number))[0]
        if not isinstance(each, dict) or not isinstance(each.get("to"), str):
            wrong.append((line, f"{name}: a transition is {{to: PHASE, when: GUARD}}"))
            continue
        unknown = each.keys() - {"to", "when"}
        wrong += [(line, f"{name}: a transition has no field {key!r}") for key in unknown]
        made.append(Transition(to=each["to"], guard=_guard(each.get("when"), name, line, wrong)))
    if made and made[-1].guard is not None:
        wrong.append((placed.place(path)[0], f"{name}: the last transition has no `when`"))
    for number, each in enumerate(listed[:-1]):
        if isinstance(each, dict) and each.get("when") is None:
            line = placed.place((*path, number))[0]
            wrong.append(
                (
                    line,
                    f"{name}: without a `when` it is the last, for those below it are never taken",
                )
            )
    return tuple(made)


def _guard(text: Any, name: str, line: int, wrong: list[tuple[int, str]]) -> Guard | None:
    if text is None:
        return None
    try:
        return parse_guard(str(text))
    except GuardError as error:
        wrong.append((line, f"{name}: {error}"))
        return None


def _connected(placed: Placed, phases: Mapping[str, Phase], wrong: list[tuple[int, str]]) -> None:
    start = placed.value.get("start")
    if not isinstance(start, str) or start not in phases:
        wrong.append((placed.place(("start",))[0], f"start is the name of a phase, not {start!r}"))
    for phase in phases.values():
        for number, transition in enumerate(phase.transitions):
            if transition.to not in phases:
                line = placed.place(("phases", phase.name, "transitions", number))[0]
                wrong.append((line, f"{phase.name}: there is no phase {transition.to!r}"))
    if phases and not any(phase.type == "terminal" for phase in phases.values()):
        wrong.append((placed.place(("phases",))[0], "no phase is terminal, so nothing would end"))
        return
    if isinstance(start, str) and start in phases:
        wrong += [
            (placed.key(("phases", name))[0], f"{name}: nothing leads to this phase")
            for name in never_reached(phases, start)
        ]
    wrong += [
        (placed.key(("phases", name))[0], f"{name}: no way leads from this phase to a terminal one")
        for name in never_ending(phases)
    ]
