"""How `prowess run` carries out a workflow: through a renderer, attended or not."""

import os
import sys
from collections.abc import Sequence
from typing import Any

from prowess.cli.desk import Desk
from prowess.cli.output import note, print_json, say
from prowess.core.errors import UsageError
from prowess.core.run import Outcome
from prowess.engine.house import House
from prowess.engine.workflows import KIND, WorkflowRequest, check_request, load_workflow


def given_values(answers: str | None, settings: Sequence[str]) -> dict[str, Any]:
    """What `--answers FILE` and `--set key=value` say; the latter wins."""
    given: dict[str, Any] = _from_file(answers) if answers else {}
    for setting in settings:
        key, sign, value = setting.partition("=")
        if not sign or not key.strip():
            raise UsageError(f"--set {setting} names no value", hint="write it as --set name=value")
        given[key.strip()] = value
    return given


def _from_file(path: str) -> dict[str, Any]:
    """YAML, of which JSON is a part."""
    from prowess.core.errors import SkillError
    from prowess.core.safe_yaml import read_mapping

    try:
        with open(path, encoding="utf-8") as file:
            return read_mapping(file.read()).value
    except UnicodeDecodeError:
        raise UsageError(f"--answers {path} is not UTF-8", hint="save it as UTF-8") from None
    except OSError as error:
        raise UsageError(
            f"--answers {path} cannot be read: {error.strerror}", hint="name a file that exists"
        ) from None
    except SkillError as error:
        raise UsageError(
            f"--answers {path}: {error}", hint=error.hint or "write `name: value` lines"
        ) from None


def show_plan(desk: Desk, request: WorkflowRequest, *, json: bool) -> None:
    """What would happen, and nothing does."""
    from prowess.workflow.plan import plan_workflow

    skill = desk.catalog.get(request.skill)
    check_request(skill, request)
    workflow = load_workflow(skill)
    planned = list(plan_workflow(workflow, given=request.given, from_step=request.from_step))
    if json:
        print_json([each.as_json() for each in planned])
        return
    for each in planned:
        more = "".join(
            (
                f"  when {each.when}" if each.when else "",
                f"  → {each.store}" if each.store else "",
                "  (optional)" if each.optional else "",
            )
        )
        say(f"{'  ' * each.depth}{each.step} [{each.kind}]  {each.does}{more}")


async def run_flow(
    desk: Desk, request: WorkflowRequest, *, renderer: str, json: bool
) -> tuple[Outcome, int]:
    """Start the workflow, show it as it goes, answer what it asks: how it ended, and the exit code of that."""
    from prowess.cli.watching import code_of, resumable
    from prowess.engine.house import new_run
    from prowess.loop.house import open_whole_house

    check_request(desk.catalog.get(request.skill), request)
    async with open_whole_house(desk.settings) as house:
        run = new_run()
        await house.engine.start(KIND, run, request.as_json())
        async with resumable(house, run):
            leaves = sys.stdin.isatty() and not json
            outcome = await watch_flow(house, run, renderer=renderer, json=json, leaves=leaves)
        return outcome, code_of(house.log, run, outcome)


async def watch_flow(
    house: House, run: str, *, renderer: str = "auto", json: bool, leaves: bool
) -> Outcome:
    """
    Show a workflow through its renderer to its end. Where nobody answers it is told so, and fails; with
    `leaves` it stays as it is, to be resumed.
    """
    from prowess.cli.watching import to_the_end
    from prowess.engine.presenting import present
    from prowess.workflow.renderers import open_renderer
    from prowess.workflow.renderers.detect import detect

    here = house.world.settings.project
    attended = sys.stdin.isatty() and sys.stdout.isatty()
    name = "json" if json else detect(os.environ, here, setting=renderer, terminal=attended)
    shown = present(house.log, house.engine, run, open_renderer(name), leaves=leaves)
    outcome = await to_the_end(house, run, shown)
    if json:
        print_json({"kind": "run.finished", "outcome": outcome.as_json()}, line=True)
    elif not outcome.ok:
        note(f"{outcome.ending}: {outcome.reason}")
        note(f"`prowess runs show {run}` tells more.")
    return outcome
