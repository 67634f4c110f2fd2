"""What one run gets to work with: its model, its tools, and how its calls are made."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from prowess.core.chat import Message, Reply, ToolCard
from prowess.core.errors import ModelError
from prowess.core.files import make_private
from prowess.core.ports import Gate, Model
from prowess.engine.children import Children
from prowess.engine.opening import Opened, values_of
from prowess.engine.people import People
from prowess.engine.request import RunRequest
from prowess.engine.world import World
from prowess.execute import objectives
from prowess.execute.means import Means, Notes
from prowess.model.retry import patient
from prowess.prompt import run as words
from prowess.prompt.variables import fill_variables
from prowess.tools.place import Place


@asynccontextmanager
async def means_of(
    opened: Opened, request: RunRequest, people: People, *, world: World, gate: Gate
) -> AsyncIterator[Means]:
    """The means of one run; connections that it needs are open while it lasts."""
    from prowess.tools.box import open_box

    model = world.open_model(opened.model, opened.skill)
    values = values_of(opened, request, people.run)
    children = Children(opened=opened, request=request, people=people, world=world)
    place = Place(
        workspace=request.workspace,
        run_folder=world.settings.run_folder(people.run),
        sandbox=world.sandbox,
        gate=gate,
        skill_dir=opened.skill.path,
        network=world.settings.sandbox_network,
        limits=world.limits,
        environment=values.environment,
        ask=people.ask if people.present else None,
        load_skill=children.load,
        fill=lambda text: fill_variables(text, values).text,
        clean=world.clean_text,
    )

    make_private(place.outputs)

    async def think(
        messages: Sequence[Message], cards: Sequence[ToolCard], on_wait: Callable[[str], None]
    ) -> Reply:
        def waited(attempt: int, pause: float, error: ModelError) -> None:
            on_wait(f"{error}; asked again after {pause:.1f} s (try {attempt + 1})")

        return await patient(model, messages, cards, on_wait=waited)

    async with _closed_after(model), open_box(place, world.settings.mcp_servers) as box:
        for warning in box.warnings:
            people.tell("run.warned", warning)
        tools = [tool for card in box.cards() if (tool := box.get(card.name))]
        yield Means(
            run=people.run,
            think=think,
            act=box.act,
            gate=gate,
            steps=people.steps,
            record=people.record,
            notes=NOTES,
            cards=(objectives.CARD, *box.cards()),
            meant=lambda call: box.mend(call).call,
            kinds={tool.name: tool.kind for tool in tools},
            reads_only=frozenset(tool.name for tool in tools if tool.reads_only),
            repeatable=box.repeatable,
            window=model.window,
            grant=people.grant if request.ask else None,
            delegate=children.delegate,
            clean=world.clean_text,
        )


@asynccontextmanager
async def _closed_after(model: Model) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await model.close()


NOTES = Notes(
    malformed=words.malformed_note,
    failed=words.failed_note,
    dropped=words.compacted_note,
    last=words.last_note(),
    confirm=words.confirm_note(),
)
