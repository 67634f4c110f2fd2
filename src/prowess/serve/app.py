"""
The application: every face of the server over one site, behind one guard.

Each face is a module. Those that answer with facts have a `router`; those that bring more have
`include(app, site)`, which may return what must be open while the application is.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI

from prowess import __version__
from prowess.serve import (
    events,
    mcp,
    pages,
    problems,
    rest_board,
    rest_markdown,
    rest_match,
    rest_runs,
    rest_skills,
    rest_state,
    spawn,
)
from prowess.serve.guard import Guard
from prowess.serve.site import Site

ROUTERS = (
    rest_skills.router,
    rest_match.router,
    rest_runs.router,
    events.router,
    spawn.router,
    rest_board.router,
    rest_state.router,
    rest_markdown.router,
)
Include = Callable[[FastAPI, Site], AbstractAsyncContextManager[Any] | None]
FACES: tuple[Include, ...] = (pages.include, mcp.include)


def create_app(site: Site, *, faces: Sequence[Include] = FACES) -> FastAPI:
    """`faces` are those beyond REST."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for each in lasting:
                await stack.enter_async_context(each)
            yield

    app = FastAPI(
        title="Prowess",
        version=__version__,
        description="Skills, runs, live events and the board. Errors are always a problem body.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # an address is one address
        lifespan=lifespan,
        # Also keeps the framework from announcing errors in a form that is not ours.
        responses={"default": {"model": problems.ProblemBody, "description": "What is wrong."}},
    )
    app.state.site = site
    problems.include(app)
    for router in ROUTERS:
        app.include_router(router)
    made = [include(app, site) for include in (spawn.include, *faces)]
    lasting = [each for each in made if each is not None]
    app.add_middleware(Guard, site=site)
    return app
