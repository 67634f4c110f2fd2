"""
The MCP server: skills as tools and prompts, the skills extension, the board and runs.

One server, two ways to reach it: over the pipes of `prowess mcp`, and over HTTP inside `prowess
serve`. What it lists is looked up when it is asked for, so a skill that was just written is there.
"""

import asyncio
import base64
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    CacheableResult,
    CallToolRequestParams,
    CancelledNotificationParams,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    PaginatedResult,
    ReadResourceRequestParams,
    ReadResourceResult,
    RequestParams,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from prowess import __version__
from prowess.core.errors import ProwessError, SkillError
from prowess.core.files import decode
from prowess.core.skill import Skill
from prowess.serve import mcp_prompts, mcp_skills
from prowess.serve.mcp_own import Returned
from prowess.serve.mcp_premises import Premises
from prowess.serve.mcp_runs import Runs
from prowess.serve.mcp_tools import Tools
from prowess.serve.mcp_visit import ToolCall, Visit

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from fastapi import FastAPI

    from prowess.serve.site import Site

PAGE = 500  # tools or prompts; some clients never ask for a second page
SKILLS_PAGE = 50  # each with all its files
FRESH = 5_000  # milliseconds for which a client may keep what it was told
INSTRUCTIONS = (
    "Skills of this machine. Each tool named like a skill runs that skill to its end and returns its"
    " answer. `prowess_match` finds the skill for a task; `prowess_read` shows its instructions, to"
    " follow them yourself. The task, session and handoff tools are the board that people and agents share."
)
T = TypeVar("T")
Asked = ServerRequestContext[Any, Any]


class UriParams(RequestParams):
    uri: str


class FolderParams(PaginatedRequestParams):
    uri: str


class ListSkillsResult(PaginatedResult, CacheableResult):
    skills: list[dict[str, Any]]
    result_type: Literal["complete"] = "complete"


class GetSkillResult(CacheableResult):
    skill: dict[str, Any]
    result_type: Literal["complete"] = "complete"


class ReadFolderResult(PaginatedResult, CacheableResult):
    resources: list[Resource]
    result_type: Literal["complete"] = "complete"


def create_server(premises: Premises) -> Server[Any]:
    desk = _Desk(premises)
    hint = CacheHint(ttl_ms=FRESH, scope="private")
    server: Server[Any] = Server(
        "prowess",
        version=__version__,
        title="Prowess",
        instructions=INSTRUCTIONS,
        cache_hints={
            "tools/list": hint,
            "prompts/list": hint,
            "resources/list": hint,
            "resources/read": hint,
            "resources/templates/list": hint,
        },
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
        on_list_prompts=desk.list_prompts,
        on_get_prompt=desk.get_prompt,
        on_list_resources=desk.list_resources,
        on_list_resource_templates=desk.list_templates,
        on_read_resource=desk.read_resource,
    )
    server.extensions[mcp_skills.EXTENSION] = dict(mcp_skills.SETTINGS)
    server.add_request_handler("skills/list", PaginatedRequestParams, desk.list_skills)
    server.add_request_handler("skills/get", UriParams, desk.get_skill)
    server.add_request_handler("resources/directory/read", FolderParams, desk.read_folder)
    server.add_notification_handler(
        "notifications/cancelled", CancelledNotificationParams, desk.cancelled
    )
    return server


class _Desk:
    """Answers requests. What needs the disk is done aside, so that one client holds up no other."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
        self._runs = Runs()
        self._tools = Tools(self._runs)
        self._shelf = mcp_skills.Shelf()

    def _visit(self, context: Asked) -> Visit:
        return Visit(premises=self._premises, context=context)

    async def list_tools(
        self, context: Asked, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        found = await _aside(lambda: list(self._tools.listed(self._visit(context))))
        page, after = _page(found, params, PAGE, lambda tool: tool.name)
        return ListToolsResult(tools=page, next_cursor=after)

    async def call_tool(self, context: Asked, params: CallToolRequestParams) -> Returned:
        return await self._tools.call(ToolCall(visit=self._visit(context), params=params))

    async def cancelled(self, context: Asked, params: CancelledNotificationParams) -> None:
        await self._runs.cancelled(self._visit(context), params)

    async def list_prompts(
        self, context: Asked, params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        found = await _aside(lambda: list(mcp_prompts.listed(self._visit(context))))
        page, after = _page(found, params, PAGE, lambda prompt: prompt.name)
        return ListPromptsResult(prompts=page, next_cursor=after)

    async def get_prompt(self, context: Asked, params: GetPromptRequestParams) -> GetPromptResult:
        given = params.arguments or {}
        return await _aside(lambda: mcp_prompts.get(self._visit(context), params.name, given))

    async def list_resources(
        self, context: Asked, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """Where each skill begins; the extension's own methods tell the rest."""
        page, after = _page(await self._served(), params, PAGE, lambda skill: skill.name)
        return ListResourcesResult(
            resources=[
                Resource(
                    uri=mcp_skills.address(skill, mcp_skills.FILE),
                    name=skill.name,
                    title=skill.title,
                    description=skill.description,
                    mime_type="text/markdown",
                )
                for skill in page
            ],
            next_cursor=after,
        )

    async def list_templates(
        self, context: Asked, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        file = ResourceTemplate(
            uri_template="skill://{skill}/{+file}", name="file", title="A file of a skill"
        )
        return ListResourceTemplatesResult(resource_templates=[file])

    async def read_resource(
        self, context: Asked, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        uri = params.uri
        data = await _aside(lambda: mcp_skills.read(self._premises.catalog(), uri))
        kind = mcp_skills.media_type(uri)
        contents: TextResourceContents | BlobResourceContents
        try:
            contents = TextResourceContents(
                uri=uri, text=decode(data), mime_type=kind or "text/plain"
            )
        except SkillError:
            blob = base64.b64encode(data).decode()
            contents = BlobResourceContents(
                uri=uri, blob=blob, mime_type=kind or "application/octet-stream"
            )
        return ReadResourceResult(contents=[contents])

    async def list_skills(self, context: Asked, params: PaginatedRequestParams) -> ListSkillsResult:
        page, after = _page(await self._served(), params, SKILLS_PAGE, lambda skill: skill.name)
        entries = await _aside(lambda: [each for skill in page if (each := self._entry(skill))])
        return ListSkillsResult(
            skills=entries, next_cursor=after, ttl_ms=FRESH, cache_scope="private"
        )

    async def get_skill(self, context: Asked, params: UriParams) -> GetSkillResult:
        def entry() -> dict[str, Any]:
            skill, path = mcp_skills.find(self._premises.catalog(), params.uri)
            if path != mcp_skills.FILE:
                raise mcp_skills.NotServedError(f"{params.uri} is no skill's {mcp_skills.FILE}")
            return self._shelf.entry(skill)

        return GetSkillResult(skill=await _aside(entry), ttl_ms=FRESH, cache_scope="private")

    async def read_folder(self, context: Asked, params: FolderParams) -> ReadFolderResult:
        found = await _aside(
            lambda: list(mcp_skills.children(self._premises.catalog(), params.uri))
        )
        page, after = _page(found, params, PAGE, lambda child: child[0])
        resources = [Resource(uri=uri, name=name, mime_type=kind) for uri, name, kind in page]
        return ReadFolderResult(
            resources=resources, next_cursor=after, ttl_ms=FRESH, cache_scope="private"
        )

    async def _served(self) -> list[Skill]:
        catalog = await _aside(self._premises.catalog)
        return [skill for skill in catalog.skills.values() if mcp_skills.may_be_served(skill)]

    def _entry(self, skill: Skill) -> dict[str, Any] | None:
        """A listing leaves out what cannot be served; who asks for it by its address is told why."""
        try:
            return self._shelf.entry(skill)
        except mcp_skills.NotServedError:
            return None


async def _aside(work: Callable[[], T]) -> T:
    """What people can mend is told to the client as its own mistake, with what to do next."""
    try:
        return await asyncio.to_thread(work)
    except ProwessError as error:
        said = f"{error} ({error.hint})" if error.hint else str(error)
        raise MCPError(INVALID_PARAMS, said) from error


def _page(
    found: Sequence[T], params: PaginatedRequestParams | None, size: int, name: Callable[[T], str]
) -> tuple[list[T], str | None]:
    """
    The page after the one whose last was `cursor`, and the cursor for the next.

    A name rather than a number, so that what comes or goes meanwhile shifts nothing.
    """
    start, cursor = 0, params.cursor if params else None
    if cursor is not None:
        places = [place for place, each in enumerate(found, 1) if name(each) == cursor]
        if not places:
            raise MCPError(INVALID_PARAMS, "the list has changed (begin again without a cursor)")
        start = places[0]
    page = list(found[start : start + size])
    more = start + size < len(found)
    return page, name(page[-1]) if more else None


async def serve_stdio(premises: Premises) -> None:
    """Serve one client until it hangs up. Nothing but the protocol goes to stdout meanwhile."""
    from mcp.server.stdio import stdio_server

    server = create_server(premises)
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    except* BrokenPipeError:
        pass  # it left before it had read everything


def include(app: "FastAPI", site: "Site") -> "AbstractAsyncContextManager[Any]":
    """Put the server into the application; what comes back must be open while the application is."""
    from prowess.serve.mcp_http import routes_of

    routes, lasting = routes_of(site)
    app.router.routes.extend(routes)
    return lasting
