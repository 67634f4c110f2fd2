"""What holds for every agent, whatever it is and however it speaks."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from agents_fakes import Ended, Work
from agents_streams import TOLD, Story, lines
from prowess.core.agent import end_from_json
from prowess.core.chat import Usage
from prowess.core.errors import OutsideError
from prowess.loop.agents.handover import FOLDER
from prowess.loop.agents.known import PROGRAMS, open_program
from sandbox.commands import alive
from support import write_skill

SPEAKERS = sorted(TOLD)
EVERYONE = sorted(PROGRAMS)
GARBAGE = [
    b"Reading prompt from stdin...",
    b"\xff\xfe\x00 not text \xc3",
    b'{"type": "item.completed", "item": {"type": "agent_mess',
    b"[1, 2]",
    b'"a string"',
    b'{"type": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    b'{"type": "noise", "part": {"text": "' + b"x" * 10_000_000 + b'"}}',
    b'{"type": "tool_use", "part": ' + b"y" * 10_000_000,
    b'{"type": "\\ud800"}',
    b"",
]


@pytest.mark.parametrize("agent", SPEAKERS)
def test_a_story_becomes_events_of_ours(agent: str, work: Work) -> None:
    ended = work(agent, lines(agent, Story()))

    (started,) = ended.payloads("call.started")
    (finished,) = ended.payloads("call.finished")
    assert (started["tool"], started["tool_kind"]) == ("Bash", "SHELL")
    assert started["input"]["command"] == "pytest -q"
    assert (finished["text"], finished["ok"], finished["refused"]) == ("2 passed", True, False)
    assert "All tests pass." in [each["thought"] for each in ended.payloads("model.replied")]
    assert {event.run for event in ended.events} == {"r1"}


@pytest.mark.parametrize("agent", SPEAKERS)
def test_its_end_is_told_and_survives_being_kept(agent: str, work: Work) -> None:
    end = work(agent, lines(agent, Story())).end

    assert (end.agent, end.answer, end.trouble) == (agent, "All tests pass.", "none")
    assert (end.said_done, end.code, end.killed_by) == (True, 0, "")
    assert end_from_json(json.loads(json.dumps(end.as_json()))) == end


@pytest.mark.parametrize("agent", SPEAKERS)
def test_what_was_used_is_counted_once(agent: str, work: Work) -> None:
    ended = work(agent, lines(agent, Story()))

    used = ended.end.usage
    assert (used.input_tokens, used.cached_tokens, used.output_tokens) == (200, 50, 40)
    told = [each["usage"] for each in ended.payloads("model.replied")]
    assert sum(each["input_tokens"] for each in told) == 200
    assert sum(each["output_tokens"] for each in told) == 40
    assert used.cost == (0.25 if agent == "claude" else None)


@pytest.mark.parametrize("agent", SPEAKERS)
def test_what_was_used_is_known_of_one_that_never_ended(agent: str, work: Work) -> None:
    ended = work(agent, lines(agent, Story())[:-1], code=1)

    told = sum(each["usage"]["output_tokens"] for each in ended.payloads("model.replied"))
    by_message = {"claude": 40, "qwen": 40, "opencode": 20}  # the others tell it at their end only
    assert told == ended.end.usage.output_tokens == by_message.get(agent, 0)


@pytest.mark.parametrize("agent", SPEAKERS)
def test_garbage_between_the_lines_changes_nothing(agent: str, work: Work) -> None:
    story = lines(agent, Story())
    clean = work(agent, story)

    spoilt = work(agent, [each for line in story for each in (*GARBAGE, line)])

    def told(ended: Ended) -> list[Any]:
        return [(event.kind, {**event.payload, "seconds": 0}) for event in ended.events]

    assert told(spoilt) == told(clean)
    assert spoilt.end.answer == clean.end.answer
    assert spoilt.end.trouble == "none"


@pytest.mark.parametrize("agent", SPEAKERS)
def test_a_story_that_is_cut_is_no_end(agent: str, work: Work) -> None:
    story = lines(agent, Story())

    end = work(agent, [*story[:-1], story[-1][:20]]).end

    assert (end.said_done, end.code, end.trouble) == (False, 0, "malformed")


@pytest.mark.parametrize("agent", SPEAKERS)
def test_silence_is_no_end(agent: str, work: Work) -> None:
    assert work(agent, []).end.trouble == "malformed"


@pytest.mark.parametrize(
    "agent", sorted(set(SPEAKERS) - {"opencode"})
)  # it tells of calls at their end
def test_a_call_that_never_came_back_is_told_as_failed(agent: str, work: Work) -> None:
    story = lines(agent, Story())
    began = next(place for place, line in enumerate(story) if b"pytest" in line)

    ended = work(agent, story[: began + 1], code=1)

    (finished,) = ended.payloads("call.finished")
    assert not finished["ok"]


@pytest.mark.parametrize("agent", SPEAKERS)
def test_a_wrong_key_is_told_apart_from_a_crash(agent: str, work: Work) -> None:
    ended = work(agent, lines(agent, Story(error="401 bad key")))

    assert (ended.end.trouble, ended.end.said_done) == ("auth", False)
    assert "bad key" in ended.end.told
    assert ended.payloads("model.failed")


@pytest.mark.parametrize("agent", SPEAKERS)
def test_a_usage_limit_is_told_with_its_end(agent: str, work: Work) -> None:
    error = "You have hit your usage limit. Try again in 3 hours."

    end = work(agent, lines(agent, Story(error=error))).end

    assert end.trouble == "usage_limit"
    assert end.resets_at


@pytest.mark.parametrize("agent", SPEAKERS)
@pytest.mark.parametrize("words", ["usage limit reached|1999999999", "Error: 401 Unauthorized"])
def test_what_a_tool_or_the_model_says_of_limits_and_keys_is_not_the_agents_trouble(
    agent: str, words: str, work: Work
) -> None:
    story = lines(agent, Story(output=words, code=1, said=words))
    seen = 1 + next(place for place, line in enumerate(story) if words.encode() in line)

    end = work(agent, story).end
    cut = work(agent, story[:seen]).end

    assert (end.trouble, end.resets_at, end.answer) == ("none", None, words)
    assert (cut.trouble, cut.resets_at) == ("malformed", None)


@pytest.mark.parametrize("agent", SPEAKERS)
def test_a_call_that_was_refused_is_counted(agent: str, work: Work) -> None:
    ended = work(agent, lines(agent, Story(refused=True, code=1)))

    (finished,) = ended.payloads("call.finished")
    assert finished["refused"]
    assert [each.partition(":")[0] for each in ended.end.refusals] == ["Bash"]


@pytest.mark.parametrize("agent", sorted(set(SPEAKERS) - {"gemini", "qwen"}))
def test_a_command_that_failed_is_seen_to_have_failed(agent: str, work: Work) -> None:
    ended = work(agent, lines(agent, Story(output="1 failed", code=3)))

    assert [each["ok"] for each in ended.payloads("call.finished")] == [False]


@pytest.mark.parametrize("agent", EVERYONE)
def test_a_crash_is_a_crash_whatever_was_said_before(agent: str, work: Work) -> None:
    after = "sys.stderr.write('segmentation fault')"

    end = work(agent, [], code=139, after=after).end

    assert (end.trouble, end.code, end.told) == ("crash", 139, "segmentation fault")


@pytest.mark.parametrize("agent", EVERYONE)
def test_last_words_of_one_that_could_not_begin_are_sorted(agent: str, work: Work) -> None:
    end = work(agent, [], code=1, after="sys.stderr.write('Not logged in. Please run /login')").end

    assert end.trouble == "auth"


@pytest.fixture
def open_input() -> Iterator[None]:
    """Our own standard input, which may have an end or none, has none here."""
    ours, (source, held) = os.dup(0), os.pipe()
    os.dup2(source, 0)
    yield
    os.dup2(ours, 0)
    for each in (ours, source, held):
        os.close(each)


@pytest.mark.usefixtures("open_input")
@pytest.mark.parametrize("agent", EVERYONE)
def test_it_reads_the_prompt_and_then_the_end(agent: str, work: Work) -> None:
    prompt = "Say \"ünï\" & 'x'; $(no) -p --help\n" * 10_000  # no word of a command line is so long

    before = "time.sleep(0); [open(word).read() for word in sys.argv if word.endswith('prompt.md')]"
    ended = work(agent, [], prompt=prompt, before=before, wall=20)

    assert ended.end.killed_by == ""
    assert ended.noted["stdin"] == ("" if agent == "aider" else prompt)
    assert prompt not in ended.noted["words"]


@pytest.mark.parametrize("agent", EVERYONE)
def test_a_silent_one_is_gone_with_its_children_at_the_limit(agent: str, work: Work) -> None:
    token = uuid4().hex
    sleeps = "[sys.executable, '-c', 'import time; time.sleep(60)', token]"
    hangs = f"token = {token!r}; subprocess.Popen({sleeps}, start_new_session=True); time.sleep(60)"

    end = work(agent, [], after=hangs, idle=1.0).end

    assert (end.trouble, end.killed_by) == ("idle", "idle")
    assert not alive(token)


@pytest.mark.parametrize("agent", EVERYONE)
def test_one_that_talks_for_ever_is_gone_at_the_limit(agent: str, work: Work) -> None:
    talks = "for _ in range(100):\n    print('still here', flush=True)\n    time.sleep(0.1)"

    end = work(agent, [], after=talks, wall=2.0, idle=1.5).end

    assert (end.trouble, end.killed_by) == ("timeout", "timeout")


@pytest.mark.parametrize("agent", EVERYONE)
def test_it_gets_no_variable_that_nobody_named(
    agent: str, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the person's")
    monkeypatch.setenv("SOME_TOKEN", "the person's")

    environment = work(agent, [], environment={"NAMED": "yes"}).noted["environment"]

    assert "the person's" not in environment.values()
    assert environment["NAMED"] == "yes"


@pytest.mark.parametrize("agent", EVERYONE)
def test_it_keeps_its_things_in_a_folder_that_is_gone_afterwards(
    agent: str, work: Work, home: Path
) -> None:
    before = (
        "for name, value in os.environ.items():\n"
        "    if 'prowess-agent-' in value and ':' not in value and not value.startswith('{'):\n"
        "        os.makedirs(value, exist_ok=True); open(value + '/mine', 'w').close()"
    )

    noted = work(agent, [], before=before).noted

    place = Path(noted["environment"]["TMPDIR"]).parent
    assert place.name.startswith("prowess-agent-")
    assert not place.exists()
    assert not any(home.rglob("*"))


@pytest.mark.parametrize("agent", EVERYONE)
def test_skills_are_there_while_it_works_and_git_never_sees_them(
    agent: str, work: Work, workspace: Path, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    skill = write_skill(tmp_path / "elsewhere", "csv-tools")
    status = (
        "status = subprocess.run(['git', 'status', '--porcelain'], capture_output=True).stdout\n"
        "open(os.path.join(here, 'status'), 'wb').write(status)"
    )
    place = f".agents/skills/{FOLDER}/csv-tools/SKILL.md"
    there = f"assert os.path.isfile({place!r}) == {PROGRAMS[agent].reads_skills}"

    ended = work(agent, [], before=f"{status}\n{there}", skills={"csv-tools": str(skill)})

    assert ended.end.code == 0
    assert (tmp_path / "fake" / "status").read_text() == ""
    assert [each.name for each in workspace.iterdir()] == [".git"]
    assert (skill / "SKILL.md").exists()


@pytest.mark.parametrize("agent", EVERYONE)
def test_a_program_that_is_not_there_is_somebody_elses_mistake(agent: str, tmp_path: Path) -> None:
    with pytest.raises(OutsideError, match=agent):
        open_program(agent, path=str(tmp_path))


@pytest.mark.parametrize("agent", SPEAKERS)
def test_one_that_has_used_enough_is_gone_with_its_children(agent: str, work: Work) -> None:
    token = uuid4().hex
    sleeps = f"[sys.executable, '-c', 'import time; time.sleep(60)', {token!r}]"
    child = f"subprocess.Popen({sleeps}, start_new_session=True)"

    def enough(used: Usage) -> str:
        return "that is enough" if used.output_tokens else ""

    ended = work(agent, lines(agent, Story()), before=child, after="time.sleep(60)", enough=enough)

    assert (ended.end.trouble, ended.end.told) == ("budget", "that is enough")
    assert ended.end.usage.output_tokens > 0
    told = sum(each["usage"]["output_tokens"] for each in ended.payloads("model.replied"))
    assert told == ended.end.usage.output_tokens
    assert not alive(token)
