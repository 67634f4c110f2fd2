"""
Tasks from a JSON or YAML file: one, a list, or a mapping with `tasks`.

The whole file is read before anything is said, so that every mistake is told at once. The problems
of a list keep the names that other programs know: DUPLICATE_ID, MISSING_DEPENDENCY, CYCLE_DETECTED.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from prowess.check.schemas import problems
from prowess.core.errors import SkillError, UsageError
from prowess.core.evidence import Spec
from prowess.core.safe_yaml import read_mapping

_FIELDS = (
    "each task has `id` and `title`, and may have `summary`, `acceptanceCriteria`, `filesAllowed`,"
    " `dependsOn` and `status`"
)


def read_tasks(text: str, *, name: str) -> list[Spec]:
    """The tasks in order; `UsageError` with everything that is wrong."""
    rows = _rows(_parsed(text, name), name)
    wrong = [
        f"{_where(row, number)}{problem.removeprefix('$')}"
        for number, row in enumerate(rows, 1)
        for problem in problems(row, "task")
    ]
    if wrong:
        raise UsageError(f"{name}: {'; '.join(wrong[:8])}", hint=_FIELDS)
    specs = [_spec(row) for row in rows]
    if told := list_problems(specs):
        raise UsageError(f"{name}: {'; '.join(told)}", hint="mend the ids and dependsOn")
    return specs


def list_problems(specs: Sequence[Spec]) -> list[str]:
    """What is wrong between the tasks of a list, each with the name of its kind first."""
    ids = [spec.id for spec in specs]
    told = [f"DUPLICATE_ID: {each}" for each in dict.fromkeys(ids) if ids.count(each) > 1]
    told += [
        f"MISSING_DEPENDENCY: {spec.id} needs {each}"
        for spec in specs
        for each in spec.after
        if each not in ids
    ]
    cycle = _cycle({spec.id: spec.after for spec in specs})
    return [*told, f"CYCLE_DETECTED: {' -> '.join(cycle)}"] if cycle else told


def ready(specs: Sequence[Spec]) -> list[Spec]:
    """Tasks that can be worked on now: those that failed before come first."""
    passed = {spec.id for spec in specs if spec.status == "passed"}
    open_ = [
        spec
        for spec in specs
        if spec.status in ("pending", "failed") and passed.issuperset(spec.after)
    ]
    return sorted(open_, key=lambda spec: spec.status != "failed")


def _parsed(text: str, name: str) -> Any:
    try:
        if name.endswith(".json"):
            return json.loads(text)
        if text.lstrip("\ufeff \n").startswith("- "):  # a list, as JSON may be one
            return read_mapping(f"tasks:\n{text}").value
        return read_mapping(text).value
    except SkillError as error:
        where = f"{name}:{error.line}" if error.line else name
        raise UsageError(f"{where}: {error}", hint=error.hint or "mend the file") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON: {error}", hint="mend the file") from None


def _rows(value: Any, name: str) -> list[Any]:
    if isinstance(value, Mapping) and "tasks" in value:
        value = value["tasks"]
    if not value:
        raise UsageError(f"{name} holds no task", hint=f"write one, or a list of them; {_FIELDS}")
    return value if isinstance(value, list) else [value]


def _where(row: Any, number: int) -> str:
    named = row.get("id") if isinstance(row, Mapping) else None
    return f"task {named}" if isinstance(named, str) and named else f"task {number}"


def _spec(row: Mapping[str, Any]) -> Spec:
    return Spec(
        id=row["id"],
        title=row["title"],
        summary=row.get("summary", ""),
        criteria=tuple(row.get("acceptanceCriteria", ())),
        files=tuple(row.get("filesAllowed", ())),
        after=tuple(row.get("dependsOn", ())),
        status=row.get("status", "pending"),
    )


def _cycle(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """One circle of tasks that wait for each other, or nothing."""
    safe: set[str] = set()
    for start in needs:
        path: list[str] = []
        stack = [(start, 0)]
        while stack:
            name, place = stack.pop()
            del path[len(stack) :]
            path.append(name)
            following = [each for each in needs.get(name, ()) if each not in safe]
            if place < len(following):
                stack.append((name, place + 1))
                if (back := following[place]) in path:
                    return [*path[path.index(back) :], back]
                stack.append((back, 0))
            else:
                safe.add(name)
    return []
