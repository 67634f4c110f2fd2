"""
Skills: the REST of the role-skill servers to the letter, and what `prowess list` and `show` tell.

A skill's id is its name, everywhere, so what one call returns the next accepts.
"""

import asyncio
import json
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict
from pydantic.config import JsonDict

from prowess.core.errors import ProwessError, UnknownSkillError, UsageError
from prowess.core.skill import Skill
from prowess.discover.catalog import Catalog
from prowess.discover.roles import ROLES, for_role
from prowess.engine.sheet import sheet
from prowess.engine.wrong import everything_wrong
from prowess.serve.auth import Developer
from prowess.serve.problems import HttpError
from prowess.serve.site import TheSite

router = APIRouter(prefix="/api", tags=["skills"])
Id = Annotated[str, Path(description="A skill's name.", examples=["prowess-worker"])]
SHOWN = 100  # characters of an id in a message
_ROW: JsonDict = {
    "id": "prowess-worker",
    "name": "Prowess Worker",
    "description": "Brings one task to its end",
    "type": "role",
    "version": "1.0.0",
}


class SkillRow(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": _ROW})

    id: str
    name: str
    description: str
    type: str
    version: str


class SkillWhole(SkillRow):
    model_config = ConfigDict(json_schema_extra={"example": {**_ROW, "instructions": "# Worker"}})

    instructions: str


class SkillReloaded(SkillRow):
    model_config = ConfigDict(json_schema_extra={"example": {**_ROW, "reloaded": True}})

    reloaded: bool


@router.get("/skills", response_model=list[SkillRow])
async def list_skills(site: TheSite) -> Response:
    """Every skill. A folder that is missing or cannot be read holds none."""
    return Response(site.computed(_rows), media_type="application/json")


@router.get("/skills/role/{role}", response_model=list[SkillRow])
async def skills_of_role(
    site: TheSite, role: Annotated[str, Path(json_schema_extra={"enum": [*ROLES]})]
) -> Any:
    """Every skill of a role, system skills first, each after what it depends on."""
    if role not in ROLES:
        raise UsageError(f"Invalid role: {role[:SHOWN]}. Must be one of: {', '.join(ROLES)}")
    return [_row(skill) for skill in for_role(role, site.catalog.skills).skills]


@router.get("/skills/{id}", response_model=SkillWhole)
def get_skill(site: TheSite, id: Id) -> Any:  # noqa: A002
    """One skill with its instructions."""
    return {**_row(skill := _found(site.catalog, id)), "instructions": _instructions(skill)}


@router.post("/skills/{id}/reload", response_model=SkillReloaded)
async def reload_skill(site: TheSite, _: Developer, id: Id) -> Any:  # noqa: A002
    """Read the skill from disk again; changes are also noticed without it, within a second or two."""
    reload = getattr(site.skills, "reload", None)
    if reload is None:
        raise HttpError(501, "NOT_IMPLEMENTED", "Reload is not supported by these skills")
    try:
        async with site.looking:
            catalog = await asyncio.to_thread(reload)
    except ProwessError as error:
        raise HttpError(
            500, "INTERNAL_ERROR", f"Failed to reload skill: {id[:SHOWN]}", hint=str(error)
        ) from error
    return {**_row(_found(catalog, id)), "reloaded": True}


@router.get("/catalog")
async def catalog(site: TheSite, _: Developer) -> dict[str, Any]:
    """Skills with where they are, every problem with a hint, and what is shadowed; as `prowess list`."""
    found = site.catalog
    return {
        "skills": [skill.as_json() for skill in found.skills.values()],
        "problems": [each.as_json() for each in await asyncio.to_thread(everything_wrong, found)],
        "shadowed": [each.as_json() for each in found.shadowed],
        "searched": [{"path": root.path, "location": root.location} for root in found.roots],
    }


@router.get("/catalog/{id}")
def show_skill(site: TheSite, _: Developer, id: Id) -> dict[str, Any]:  # noqa: A002
    """One skill whole, with its files, settings, dependencies and problems; as `prowess show`."""
    _found(site.catalog, id)
    try:
        return sheet(site.catalog, id)
    except ProwessError as error:
        raise _unreadable(id, error) from error


def _rows(catalog: Catalog) -> bytes:
    rows = [_row(skill) for skill in catalog.skills.values()]
    return json.dumps(rows, separators=(",", ":")).encode()


def _row(skill: Skill) -> dict[str, str]:
    return {
        "id": skill.name,
        "name": skill.title,
        "description": skill.description,
        "type": skill.type,
        "version": skill.version,
    }


def _found(catalog: Catalog, id: str) -> Skill:  # noqa: A002
    if id not in catalog.skills:
        # To the letter; only where a name is near there is a hint besides.
        raise UnknownSkillError(f"Skill not found: {id[:SHOWN]}", hint=catalog.near(id[:SHOWN]))
    return catalog.skills[id]


def _instructions(skill: Skill) -> str:
    from prowess.discover.agent_skill import instructions
    from prowess.discover.resources import instructions_text

    try:
        text = instructions_text(skill)
    except ProwessError as error:
        raise _unreadable(skill.name, error) from error
    return instructions(text) if skill.files[0].lower() == "skill.md" else text


def _unreadable(id: str, error: ProwessError) -> HttpError:  # noqa: A002
    return HttpError(500, "INTERNAL_ERROR", f"Failed to load skill: {id}", hint=str(error))
