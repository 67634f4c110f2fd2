"""
Aider: one message from a file, plain text back.

It would commit by itself and write its history into the work tree; it is told to do neither, so that
what it changed can be judged like anybody's change.
"""

import json
import os
import re

from prowess.core.agent import AgentOrder
from prowess.core.chat import Usage
from prowess.loop.agents.base import Launch, Ways
from prowess.loop.agents.heard import Heard
from prowess.loop.agents.loose import money
from prowess.loop.agents.tools import our_call

_QUIET = (
    "--yes-always --no-check-update --no-analytics --no-pretty --no-stream --no-auto-commits"
    " --no-dirty-commits --no-gitignore --no-show-release-notes --no-detect-urls"
    " --no-suggest-shell-commands --no-show-model-warnings --no-fancy-input"
).split()
_AMOUNT = r"([\d.,]+[kM]?)"
_TOKENS = re.compile(
    rf"Tokens: {_AMOUNT} sent(?:, {_AMOUNT} cache write)?(?:, {_AMOUNT} cache hit)?, {_AMOUNT} received\."
    r"(?: Cost: \$([\d.]+) message)?"
)
_ERROR = re.compile(r"litellm\.\w*Error: ")
_EDITED = "Applied edit to "


def launch(order: AgentOrder, place: str) -> Launch:
    given, local = order.environment, order.environment.get("OPENAI_BASE_URL", "")
    model = order.model or ""
    if local and model and "/" not in model:
        model = f"openai/{model}"
    histories = {
        "--chat-history-file": "chat.md",
        "--input-history-file": "input.txt",
        "--message-file": "prompt.md",
    }
    words = [*_QUIET, *(("--model", model) if model else ())]
    for option, name in histories.items():
        words += [option, os.path.join(place, name)]
    return Launch(
        words=tuple(words),
        environment={
            "HOME": os.path.join(place, "home"),
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            **({"OPENAI_API_BASE": local} if local else {}),
            **({"OPENAI_API_KEY": given.get("OPENAI_API_KEY", "none")} if local else {}),
        },
        files={"prompt.md": order.prompt, "home/.gitconfig": _git_settings()},
    )


def _git_settings() -> str:
    """Where nobody is named, Aider would write a name into the settings of the work tree itself."""
    own = json.dumps(os.path.expanduser("~/.gitconfig"))
    return f"[user]\n\tname = Aider\n\temail = aider@localhost\n[include]\n\tpath = {own}\n"


def read_text(heard: Heard, line: str) -> None:
    if match := _TOKENS.match(line):
        sent, _, hit, received, cost = match.groups()
        usage = Usage(
            input_tokens=_amount(sent),
            output_tokens=_amount(received),
            cached_tokens=_amount(hit),
            cost=money(float(cost)) if cost else None,
        )
        heard.iteration += 1
        heard.paragraph()
        heard.used(usage)
        heard.used_in_all(heard.usage)
        heard.finished()
    elif _ERROR.match(line):
        heard.stumbled(line)
    elif line.startswith(_EDITED):
        call = our_call(f"edit-{heard.calls + 1}", "edit", {"file_path": line[len(_EDITED) :]})
        heard.called(call)
        heard.observed(call.id, line, ok=True)
    else:
        heard.line(line)


def _amount(told: str | None) -> int:
    """`1.2k` is 1,200; Aider rounds."""
    if not told:
        return 0
    factor = {"k": 1_000, "M": 1_000_000}.get(told[-1], 1)
    try:
        return round(float(told.rstrip("kM").replace(",", "")) * factor)
    except ValueError:
        return 0


AIDER = Ways(
    name="aider",
    program="aider",
    launch=launch,
    read_text=read_text,
    leaves=(".aider.tags.cache.v*",),
    variables=(
        *("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"),
        *("OPENROUTER_API_KEY", "DEEPSEEK_API_KEY"),
    ),
)
