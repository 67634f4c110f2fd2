"""
Read the head of a skill.yaml: enough to list a workflow, choose it and know what it needs.

The steps are checked for being there. What they say is judged when the workflow is loaded to run.
"""

from functools import partial

from prowess.core.errors import SkillError
from prowess.core.safe_yaml import MAX_CHARS, read_mapping
from prowess.discover.blocks import read_on
from prowess.discover.draft import Draft
from prowess.discover.header import TEXT_FIELDS, leave_out_unseen

BODY = ("steps", "templates")  # read when the workflow runs, not kept in the catalog


def read(draft: Draft, data: bytes) -> None:
    """Fill `draft` from the bytes of a skill.yaml; raises `SkillError` when it cannot be loaded."""
    # Elsewhere `compatibility` is a sentence; in a workflow it is a list of tools, and stays one.
    document, missing = read_on(
        draft.text_of(data).removeprefix("\ufeff"),
        partial(read_mapping, keep_text=TEXT_FIELDS),
        draft.refuse,
        first_line=1,
        longest=MAX_CHARS,
    )
    told, lines = document.value, document.lines
    head = {key: value for key, value in told.items() if key not in BODY}
    draft.take_header(head, leave_out_unseen(head, lines))
    draft.warn_of_guards(head, lines)
    if "name" not in missing:
        draft.take_name(told.get("name"), lines.get("name"))
    steps = told.get("steps")
    wrong = None
    if "steps" not in missing and (not isinstance(steps, list) or not steps):
        line = lines.get("steps", 1)
        wrong = SkillError(
            "a workflow without steps", hint="add `steps:` with at least one step", line=line
        )
    try:
        if "description" not in missing:
            draft.take_description(head.get("description"), lines.get("description"))
    except SkillError as error:
        if wrong:
            draft.note(str(wrong), hint=wrong.hint, line=wrong.line, level="error")
        wrong = error
    if wrong:
        raise wrong
