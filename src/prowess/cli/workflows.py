"""Commands for authors of workflows: schema."""

from typing import Annotated

import typer

from prowess.cli.options import Json
from prowess.core.errors import UsageError

KINDS = ("workflow",)


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Print the JSON Schema of a file, for editors.",
        epilog="Example: prowess schema workflow > workflow.schema.json",
    )(schema)


def schema(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="workflow, for a skill.yaml.")],
    json: Json = False,
) -> None:
    """
    Print the JSON Schema of a skill.yaml, so that an editor completes it and marks mistakes.

    It is JSON either way; --json puts it on one line in a pipe.
    """
    import json as form

    from prowess.cli.output import print_json
    from prowess.workflow.schema import workflow_schema

    if kind not in KINDS:
        raise UsageError(f"there is no schema of {kind!r}", hint=f"use {', '.join(KINDS)}")
    if json:
        print_json(workflow_schema())
    else:
        print(form.dumps(workflow_schema(), indent=2, ensure_ascii=False))
