"""
Which names a workflow knows at each of its steps, and what is asked for that is not among them.

The steps are gone through in the order in which they run, so a name that is stored too late is as
unknown as one that is never stored. Branches do not see each other, whether both run or only one.
"""

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from prowess.core.patterns import compiled
from prowess.core.placed_yaml import Path
from prowess.workflow.answers import WrongAnswerError, answer_to
from prowess.workflow.conditions import ConditionError, parse_condition
from prowess.workflow.schema import VALIDATORS
from prowess.workflow.shape import Report, kind_of
from prowess.workflow.shell.line import argument_words, parse_line
from prowess.workflow.shell.words import UnsafeCommandError, check_words
from prowess.workflow.values import FILTER_ARGUMENTS, FILTERS, Slot, slots_of, text_of

BUILT_IN = ("workspace", "skill_dir", "run_id", "user", "date", "tool", "arguments")
LEFT_BY_STEP = ("output", "value", "ok", "code", "error")
_DEEP = ("lines", "json")  # ways to parse that give values with parts


@dataclass(frozen=True, kw_only=True)
class Known:
    """`flat` are names that stand for plain text; `later` is who stores a name, for better hints."""

    names: set[str]
    flat: set[str]
    steps: set[str]
    later: Mapping[str, str]
    everything: bool = False  # a text that is given all fields of a value we cannot know yet

    def copy(self) -> "Known":
        return replace(self, names=set(self.names), flat=set(self.flat), steps=set(self.steps))

    def merge(self, ways: "Sequence[Known]", *, but: Collection[str] = ()) -> None:
        """
        Take over what each of the `ways` that may have been gone knows at its end.

        A name is plain text only where every way that knows it left it so.
        """
        self.steps.update(*(way.steps for way in ways))
        names = {name for way in ways for name in way.names}.difference(but)
        self.names.update(names)
        for name in names:
            flat = all(name in way.flat for way in ways if name in way.names)
            (self.flat.add if flat else self.flat.discard)(name)


@dataclass(frozen=True, kw_only=True)
class Names:
    """One check of one file."""

    report: Report
    templates: Mapping[str, Any]
    stored: Mapping[str, str] = field(default_factory=dict)

    def steps(self, steps: Any, path: Path, known: Known) -> None:
        for place, step in enumerate(steps if isinstance(steps, list) else ()):
            if isinstance(step, dict):
                self._step(step, (*path, place), known)

    def _step(self, step: Mapping[str, Any], path: Path, known: Known) -> None:
        kind = kind_of(step)
        if "when" in step:
            self._condition(step["when"], (*path, "when"), known)
        if kind:
            getattr(self, f"_{kind}")(step, path, known)
        if "validate" in step and kind != "question":
            here = known.copy()
            here.names.add("output")
            self._condition(step["validate"], (*path, "validate"), here)
        self._remember(step, known)

    def _remember(self, step: Mapping[str, Any], known: Known) -> None:
        if isinstance(step.get("id"), str):
            known.steps.add(step["id"])
        if isinstance(name := step.get("store"), str):
            known.names.add(name)
            deep = step.get("parse") in _DEEP or "python" in step or "foreach" in step
            (known.flat.discard if deep else known.flat.add)(name)

    def _command(self, step: Mapping[str, Any], path: Path, known: Known) -> None:
        self._line(step.get("command"), (*path, "command"), known)

    def _output(self, step: Mapping[str, Any], path: Path, known: Known) -> None:
        here, data = known.copy(), step.get("data")
        if isinstance(data, dict):
            here = self._data(data, (*path, "data"), known)
        if "output" in step:
            self._text(step["output"], (*path, "output"), here)
        name = step.get("template")
        if isinstance(name, str):
            if name in self.templates:
                if "output" not in step:
                    self._text(self.templates[name], ("templates", name), here)
            else:
                near = _near(name, self.templates) or "write it under `templates:`"
                self.report((*path, "template"), f"there is no template {name!r}", near)

    def _data(self, data: dict[str, Any], path: Path, known: Known) -> Known:
        here = known.copy()
        here.names.update(data)
        here.flat.difference_update(data)
        source = data.get("source")
        if isinstance(source, str) and not slots_of(source):
            if source in known.names:
                here = replace(here, everything=source not in known.flat)
            else:
                self._unknown(Slot(source, (source,)), (*path, "source"), known, 0)
        for name, value in data.items():
            self._value(value, (*path, name), known)
        return here

    def _question(self, step: Mapping[str, Any], path: Path, known: Known) -> None:
        for name in ("question", "prompt", "default"):
            self._value(step.get(name), (*path, name), known)
        options = step.get("options")
        if isinstance(options, dict):
            self._line(options.get("command"), (*path, "options", "command"), known)
        else:
            self._value(options, (*path, "options"), known)
        self._validator(step, path)
        self._default(step, path)

    def _default(self, step: Mapping[str, Any], path: Path) -> None:
        """A default is the answer where nobody can give one, and has to do like any other."""
        options, default = step.get("options") or [], step.get("default")
        if default is None or not isinstance(options, list):
            return
        texts = [text_of(each) for each in (default, *options)]
        if any(map(slots_of, texts)):
            return  # only known on the way
        validate = step.get("validate") or ""
        if isinstance(validate, dict) and not _is_pattern(str(validate.get("pattern"))):
            return  # told already
        try:
            answer_to(texts[0], options=texts[1:], default=None, validate=validate)
        except WrongAnswerError as error:
            place = (*path, "default")
            self.report(place, f"the default will not do: {error}", "give another, or none")

    def _validator(self, step: Mapping[str, Any], path: Path) -> None:
        validate = step.get("validate")
        if validate in VALIDATORS[-2:] and "options" not in step:
            self.report(
                (*path, "validate"), f"{validate} needs options to choose from", "add `options:`"
            )
        pattern = validate.get("pattern") if isinstance(validate, dict) else None
        if isinstance(pattern, str) and not _is_pattern(pattern):
            where = (*path, "validate", "pattern")
            self.report(where, "this is no regular expression", "check its brackets and signs")

    def _conditional(self, step: Mapping[str, Any], path: Path, known: Known) -> None:
        self._condition(step.get("if"), (*path, "if"), known)
        ways = []
        for branch in ("then", "else"):
            ways.append(here := known.copy())
            self.steps(step.get(branch), (*path, branch), here)
        known.merge(ways)

    def _parallel(self, step: Mapping[str, Any], path: Path, known: Known) -> None:
        branches = step.get("parallel")
        seen = []
        for place, branch in enumerate(branches if isinstance(branches, list) else ()):
            here = known.copy()
            if isinstance(branch, dict):
                self._step(branch, (*path, "parallel", place), here)
            else:
                self.steps(branch, (*path, "parallel", place), here)
            seen.append(here)
        known.merge(seen)

    def _foreach(self, step: Mapping[str, Any], path: Path, known: Known) -> None:
        self._value(step.get("foreach"), (*path, "foreach"), known)
        own = (str(step.get("as", "item")), "index")
        here = known.copy()
        here.names.update(own)
        here.flat.discard(own[0])
        self.steps(step.get("steps"), (*path, "steps"), here)
        known.merge([known.copy(), here], but=own)  # there may be nothing to go through

    def _skill(self, step: Mapping[str, Any], path: Path, known: Known) -> None:
        if isinstance(name := step.get("skill"), str) and slots_of(name):
            self.report((*path, "skill"), "a value cannot choose the skill", "write its name")
        self._value(step.get("arguments"), (*path, "arguments"), known)
        self._value(step.get("inputs"), (*path, "inputs"), known)

    def _python(self, step: Mapping[str, Any], path: Path, known: Known) -> None:
        self._value(step.get("arguments"), (*path, "arguments"), known)

    def _line(self, command: Any, path: Path, known: Known) -> None:
        try:
            if isinstance(command, str):
                self._text(command, path, known, line=True)
                parse_line(command)
            elif isinstance(command, list):
                self._value(command, path, known)
                words = argument_words(tuple(str(each) for each in command))
                if any(word.has_slot for word in words):
                    check_words(words)
        except UnsafeCommandError as error:
            self.report(path, str(error), error.hint)

    def _condition(self, text: Any, path: Path, known: Known) -> None:
        if not isinstance(text, str):
            return
        try:
            condition = parse_condition(text)
        except ConditionError as error:
            self.report(path, f"the condition makes no sense: {error}", error.hint)
            return
        for slot in condition.slots:
            self._slot(slot, path, known, 0, written=".".join(slot.path))

    def _value(self, value: Any, path: Path, known: Known) -> None:
        for inner, text in _texts(value, path):
            self._text(text, inner, known)

    def _text(self, text: Any, path: Path, known: Known, *, line: bool = False) -> None:
        seen: dict[str, int] = {}
        for slot in slots_of(text, line=line) if isinstance(text, str) else ():
            number = seen[slot.source] = seen.get(slot.source, -1) + 1
            self._slot(slot, path, known, number, written=slot.source)

    def _slot(self, slot: Slot, path: Path, known: Known, number: int, *, written: str) -> None:
        where = {"part": written, "number": number}
        if slot.foreign:
            if slot.foreign[0] == "!" or slot.name in known.names:
                hint = "a placeholder is a name, with filters after `|`; see docs/workflows.md"
                self.report(path, f"{slot.source} is no placeholder", hint, **where)
            return
        for name, arguments in slot.filters:
            if name not in FILTERS:
                near = _near(name, FILTERS) or f"the filters are: {', '.join(FILTERS)}"
                self.report(path, f"there is no filter {name!r}", near, **where)
            elif len(arguments) > FILTER_ARGUMENTS[name]:
                most = FILTER_ARGUMENTS[name]
                self.report(
                    path, f"the filter {name} is given too much", f"give it {most} at most", **where
                )
        if any(each.startswith("_") for each in slot.path[1:]):
            self.report(path, f"{slot.source} asks for what is private", "name a field", **where)
        elif slot.name == "steps":
            self._left(slot, path, known, where)
        elif slot.name not in known.names:
            self._unknown(slot, path, known, number, written=written)
        elif len(slot.path) > 1 and slot.name in known.flat:
            hint = f"{slot.name} is plain text; store it with `parse: json` to have its fields"
            self.report(path, f"{slot.source} asks for a part of a text", hint, **where)

    def _left(self, slot: Slot, path: Path, known: Known, where: Mapping[str, Any]) -> None:
        step, left = (*slot.path, "", "")[1:3]
        if step not in known.steps:
            hint = _near(step, known.steps) or "only steps that come before can be named"
            self.report(path, f"there is no step {step!r} before this one", hint, **where)
        elif left not in LEFT_BY_STEP:
            hint = f"it may be: {', '.join(LEFT_BY_STEP)}"
            self.report(path, f"a step leaves no {left or 'such thing'!r}", hint, **where)

    def _unknown(
        self, slot: Slot, path: Path, known: Known, number: int, *, written: str = ""
    ) -> None:
        if known.everything:
            return
        name = slot.name
        if name in known.later:
            hint = f"the step {known.later[name]!r} stores it, and comes later or in another branch"
        else:
            hint = _near(name, known.names) or (
                f"store it before, make it an input, or write {{{{{name}}}}} for the text itself"
            )
        self.report(path, f"nothing is called {name!r} here", hint, part=written, number=number)


def _is_pattern(pattern: str) -> bool:
    import re2  # type: ignore[import-untyped]

    try:
        compiled(pattern)
    except re2.error:
        return False
    return True


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Every text in a value, with where it is."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _texts(each, (*path, place))
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _texts(each, (*path, name))


def _near(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {close[0]}?" if close else ""
