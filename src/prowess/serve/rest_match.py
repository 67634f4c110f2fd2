"""Which skills fit a task, and what a plan says; in the words of `prowess match` and `plan`."""

import os
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from prowess.core.errors import UsageError
from prowess.core.task import Plan
from prowess.select.plan import read_plan
from prowess.serve.auth import Developer
from prowess.serve.problems import HttpError
from prowess.serve.site import Site, TheSite

router = APIRouter(prefix="/api", tags=["choosing"])
LARGEST = 1024 * 1024  # bytes of a plan
MOST = 200  # files that are looked at for plans


class Task(BaseModel):
    """`threshold` false ranks also what may not be meant."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"task": "review the open pull request"}}
    )

    task: str = Field(min_length=1, max_length=20_000)
    limit: int | None = Field(None, ge=1, le=50)
    step: Literal["implementation", "review"] = "implementation"
    threshold: bool = True


class PlanText(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"text": "- [ ] Write the parser\n"}}
    )

    text: str = Field(max_length=LARGEST)


@router.post("/match")
def match(site: TheSite, asked: Task) -> Any:
    """The skills that fit a task, each with its reason. A task that nothing fits gets none."""
    found = site.asking().select(
        asked.task,
        asked.step,
        limit=asked.limit,
        abstain=asked.threshold,
        record=site.record,
    )
    return found.as_json()


@router.get("/plans")
def list_plans(site: TheSite, _: Developer) -> Any:
    """The Markdown files of the project's folder that hold tasks, by name."""
    found = []
    for name in _names(site):
        try:
            plan = read_plan(_bytes(site, name))
        except (UsageError, OSError):
            continue
        if plan.tasks:
            found.append({"name": name, **_told(plan)})
    return found


@router.get("/plans/{name}")
def show_plan(site: TheSite, _: Developer, name: Annotated[str, Path(examples=["PLAN.md"])]) -> Any:
    """The tasks of a plan, the next one, and the commands that prove them."""
    if name not in _names(site):
        raise HttpError(
            404, "NOT_FOUND", f"Plan not found: {name[:100]}", hint="GET /api/plans lists them"
        )
    try:
        return {"name": name, **_told(read_plan(_bytes(site, name)))}
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None


@router.post("/plans")
def read_plan_text(asked: PlanText) -> Any:
    """The same of a plan that is sent."""
    return _told(read_plan(asked.text.encode("utf-8", "replace")))


def _names(site: Site) -> list[str]:
    """Only names that stand in the folder are ever opened, so a name is never a path."""
    with os.scandir(site.settings.project) as entries:
        files = sorted(
            each.name
            for each in entries
            if each.name.lower().endswith(".md") and each.is_file(follow_symlinks=False)
        )
    return files[:MOST]


def _bytes(site: Site, name: str) -> bytes:
    with open(os.path.join(site.settings.project, name), "rb") as file:
        return file.read(LARGEST)


def _told(plan: Plan) -> dict[str, Any]:
    following = plan.next()
    return {
        "tasks": [task.as_json() for task in plan.tasks],
        "next": following.as_json() if following else None,
        "validation": list(plan.validation),
    }
