"""
An agent that proposes evidence. It can read and change nothing, and nothing it says is believed:
what it proposes is looked at by the check like anybody's claims.
"""

from dataclasses import dataclass, replace

from prowess.check.claims import claimed_outcome, said_claims
from prowess.check.layered import LAYERS, Layered, layered
from prowess.check.templates import template, told
from prowess.core.event import Event
from prowess.core.evidence import Claim, Ignored
from prowess.core.ports import Record
from prowess.discover.catalog import Catalog
from prowess.discover.resources import instructions_text
from prowess.engine.finding import discover, load
from prowess.engine.house import new_run
from prowess.engine.occasion import READING, Occasion, open_occasions
from prowess.engine.request import RunRequest
from prowess.engine.work import Asked
from prowess.engine.world import OpenModel
from prowess.settings import Settings

NAME = "propose-evidence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What an agent claims, in which run it said so, and whether layered skills guided it."""

    run: str
    layered: Layered
    claims: tuple[Claim, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    outcome: str | None = None  # what it claims of the whole


def layered_in(catalog: Catalog, value: object) -> Layered:
    """Whether the two layers of skills are to be used; `value` is the setting as it was written."""
    return layered(value, lambda name: instructions_text(catalog.get(name)))


def guidance(catalog: Catalog, settings: Settings, mode: Layered, *, record: Record) -> str:
    """The instructions for whoever proposes evidence, with the layers where they are on."""
    plain = template("propose.md")
    if not mode.on:
        return plain
    layers = [catalog.get(name) for name in LAYERS]
    with_references = replace(settings, skills_load_references=True)
    return f"{plain}\n\n{load(layers, with_references, record=record)}"


async def propose_evidence(
    asked: Asked,
    settings: Settings,
    *,
    use_layered: object,
    record: Record,
    model: str | None = None,
    open_model: OpenModel | None = None,
) -> Proposed:
    """Let an agent look at the work and say what would show each criterion."""
    catalog = discover(settings, record=record)
    mode = layered_in(catalog, use_layered)
    body = guidance(catalog, settings, mode, record=record)
    occasion = Occasion(name=NAME, body=body, tools=READING)
    task = told(asked.spec, validation=asked.validation, base=asked.base or "")
    async with open_occasions(settings, [occasion], key=new_run(), open_model=open_model) as house:
        request = RunRequest(skill=NAME, arguments=task, workspace=asked.workspace, model=model)
        house.check(request)
        run = await house.start(request)
        record(_guided(run, mode))
        outcome = await house.outcome(run)
    claims, ignored = said_claims(outcome.answer)
    if not outcome.ok:
        why = f"its run ended {outcome.ending}: {outcome.reason}"
        ignored = [Ignored(what="the agent that was to propose evidence", why=why)]
        claims = []
    return Proposed(
        run=run,
        layered=mode,
        claims=tuple(claims),
        ignored=tuple(ignored),
        outcome=claimed_outcome(outcome.answer),
    )


def _guided(run: str, mode: Layered) -> Event:
    """Whether the layers guided it is a fact for the log, and so is why they did not."""
    words = "Guided by layered skills" if mode.on else f"Without layered skills: {mode.reason}"
    payload = {"summary": words, "visibility": "SUMMARY", "on": mode.on, "reason": mode.reason}
    return Event(run=run, kind="check.layered", payload=payload)
