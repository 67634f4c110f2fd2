"""
Read the head of a skill.yaml: enough to list a workflow, choose it and know what it needs.

The steps are checked for being there. What they say is judged when the workflow is loaded to run.
"""

from prowess.core.errors import SkillError
from prowess.core.files import decode
from prowess.core.safe_yaml import read_mapping
from prowess.discover.draft import Draft
from prowess.discover.header import TEXT_FIELDS, leave_out_unseen

BODY = ("steps", "templates")  # read when the workflow runs, not kept in the catalog


def read(draft: Draft, data: bytes) -> None:
    """Fill `draft` from the bytes of a skill.yaml; raises `SkillError` when it cannot be loaded."""
    # Elsewhere `compatibility` is a sentence; in a workflow it is a list of tools, and stays one.
    document = read_mapping(decode(data).removeprefix("\ufeff"), keep_text=TEXT_FIELDS)
    head = {key: value for key, value in document.value.items() if key not in BODY}
    draft.take_header(head, leave_out_unseen(head, document.lines))
    draft.take_name(document.value.get("name"), document.lines.get("name"))
    steps = document.value.get("steps")
    wrong = None
    if not isinstance(steps, list) or not steps:
        line = document.lines.get("steps", 1)
        wrong = SkillError(
            "a workflow without steps", hint="add `steps:` with at least one step", line=line
        )
    try:
        draft.take_description(head.get("description"), document.lines.get("description"))
    except SkillError as error:
        if wrong:
            draft.note(str(wrong), hint=wrong.hint, line=wrong.line, level="error")
        wrong = error
    if wrong:
        raise wrong
