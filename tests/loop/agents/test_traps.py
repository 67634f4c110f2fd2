"""The traps that each agent's stream holds, one by one."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents_fakes import Work
from agents_streams import TOLD, Story, lines
from prowess.core.chat import Usage
from prowess.core.process import Finished
from prowess.loop.agents.command import command_agent
from prowess.loop.agents.heard import Heard
from prowess.loop.agents.known import PROGRAMS, detect, passed_on
from prowess.loop.agents.program import end_of, read_line
from prowess.loop.agents.room import Room

SHARED = Path(os.environ.get("PROWESS_SHARED", Path(__file__).parents[4] / "shared"))
STREAMS = SHARED / "data" / "agent-streams"
CAPTURED = {
    "codex-normal.jsonl": ("codex", "none"),
    "cx-mcp.jsonl": ("codex", "none"),
    "cx-schema.jsonl": ("codex", "none"),
    "cx-toolfail.jsonl": ("codex", "none"),
    "cx-401.jsonl": ("codex", "auth"),
    "opencode-normal.jsonl": ("opencode", "none"),
    "oc-mcp.jsonl": ("opencode", "none"),
    "oc-toolfail.jsonl": ("opencode", "none"),
    "oc-ask.jsonl": ("opencode", "malformed"),
    "oc-401.jsonl": ("opencode", "auth"),
    "gem.jsonl": ("gemini", "none"),
    "gem-toolfail.jsonl": ("gemini", "none"),
    "gem-err401.jsonl": ("gemini", "auth"),
    "qwen.jsonl": ("qwen", "none"),
    "qwen-toolfail.jsonl": ("qwen", "none"),
    "qwen-err401.jsonl": ("qwen", "auth"),
}
DONE = Finished(code=0, out=b"", err=b"", seconds=1.0)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


def heard_of(agent: str, said: list[Any]) -> Heard:
    heard = Heard(run="r1")
    for each in said:
        read_line(PROGRAMS[agent], heard, json.dumps(each).encode())
    return heard


@pytest.mark.parametrize("name", CAPTURED)
def test_streams_of_the_real_programs_are_understood(name: str) -> None:
    if not (STREAMS / name).exists():
        pytest.skip("the captured streams are not here")
    agent, trouble = CAPTURED[name]
    heard = Heard(run="r1")
    events = [
        event
        for line in (STREAMS / name).read_bytes().splitlines()
        for event in read_line(PROGRAMS[agent], heard, line)
    ]

    end = end_of(PROGRAMS[agent], heard, DONE)

    assert end.trouble == trouble
    assert heard.garbage == 0
    failed = [e for e in events if e.kind == "call.finished" and not e.payload["ok"]]
    assert bool(failed) == (name in ("cx-toolfail.jsonl", "oc-toolfail.jsonl", "oc-ask.jsonl"))
    assert end.usage.output_tokens == {"none": 40, "malformed": 20, "auth": 0}[trouble]


@pytest.mark.parametrize("agent", sorted(TOLD))
@given(said=JSON, place=st.integers(0, 20))
def test_no_shape_of_a_line_is_too_odd(agent: str, said: Any, place: int) -> None:
    """Every value of every line, in turn, is something else."""
    for line in TOLD[agent](Story()):
        for spoilt in _spoilt(line, said, place):
            heard_of(agent, [spoilt, line])


def _spoilt(value: Any, instead: Any, place: int) -> list[Any]:
    """The value with one of its inner values exchanged, at each level."""
    if not isinstance(value, dict) or not value:
        return [instead]
    name = list(value)[place % len(value)]
    return [{**value, name: each} for each in (instead, *_spoilt(value[name], instead, place))]


def test_codex_tells_the_sum_of_its_thread_and_it_is_not_added_up() -> None:
    turn = {"type": "turn.completed", "usage": {"input_tokens": 100, "output_tokens": 10}}
    more = {"type": "turn.completed", "usage": {"input_tokens": 250, "output_tokens": 30}}

    assert heard_of("codex", [turn, more]).usage.input_tokens == 250


def test_an_error_of_codex_that_is_only_a_warning_is_only_a_warning(work: Work) -> None:
    story = lines("codex", Story())

    ended = work("codex", story)

    assert not ended.payloads("model.failed")
    assert "401" in ended.payloads("run.warned")[0]["summary"]
    assert ended.end.trouble == "none"
    assert work("codex", story[:2]).end.trouble == "malformed"  # and no wrong key


def test_an_exit_code_counts_more_than_what_codex_calls_it() -> None:
    *_, item = (each["item"] for each in TOLD["codex"](Story(code=3))[3:5])
    heard = Heard(run="r1")

    events = read_line(
        PROGRAMS["codex"],
        heard,
        json.dumps({"type": "item.completed", "item": {**item, "status": "completed"}}).encode(),
    )

    assert [event.payload.get("ok") for event in events] == [None, False]


def test_codex_gets_over_a_lost_connection() -> None:
    lost = {"type": "error", "message": "Reconnecting... 1/5 (429 Too Many Requests)"}
    story = TOLD["codex"](Story())

    assert heard_of("codex", [lost, *story]).trouble == "none"
    assert heard_of("codex", [*story[:3], lost]).trouble == "usage_limit"
    assert heard_of("codex", [lost, story[3]]).trouble == "none"


def test_last_words_are_not_read_once_a_tool_may_have_written_them(work: Work) -> None:
    after = "sys.stderr.write('429 usage limit reached, try again in 2 hours')"

    early = work("codex", [], code=1, after=after).end
    assert (early.trouble, bool(early.resets_at)) == ("usage_limit", True)
    story = lines("codex", Story())[:5]
    assert work("codex", story, code=1, after=after).end.trouble == "crash"


STAYS = "import threading; threading.Event().wait()"


def test_last_words_of_one_that_asks_on_until_it_is_stopped_are_read_too(work: Work) -> None:
    says = f"sys.stderr.write('{{ status: 429 }}\\n'); sys.stderr.flush(); {STAYS}"
    init = [json.dumps({"type": "init", "model": "m"}).encode()]

    stopped = work("gemini", init, after=says, idle=1.0).end
    assert (stopped.trouble, stopped.killed_by, stopped.reached) == ("usage_limit", "idle", False)
    at_work = lines("gemini", Story())[:4]
    assert work("gemini", at_work, after=says, idle=1.0).end.trouble == "idle"


def test_a_log_of_opencode_is_read_for_its_error_and_not_for_its_time(work: Work) -> None:
    logged = (
        'timestamp=2026-11-19T05:18:39.010Z level=ERROR run=1 message="stream error" small=true'
        ' error.error="AI_APICallError: Rate limit reached. Try again in 2 hours."'
    )
    says = f"sys.stderr.write({logged!r} + chr(10)); sys.stderr.flush(); {STAYS}"

    end = work("opencode", [], after=says, idle=1.0).end

    assert (end.trouble, bool(end.resets_at)) == ("usage_limit", True)
    assert end.why == "AI_APICallError: Rate limit reached. Try again in 2 hours."
    assert "--print-logs" in work("opencode", lines("opencode", Story())).noted["words"]


@pytest.mark.parametrize(
    ("late", "begins", "trouble"),
    [
        (1, "timestamp={at} level=ERROR run=1", "usage_limit"),
        (-60, "timestamp={at} level=ERROR run=1", "idle"),  # it said more since
        (1, "a tool printed:", "idle"),
    ],
)
def test_a_limit_that_opencode_logs_after_its_last_line_is_one_also_after_calls(
    late: int, begins: str, trouble: str, work: Work
) -> None:
    error = 'error.error="AI_APICallError: Usage limit reached. Try again in 2 hours."'
    says = (
        f"import datetime as d; at = d.datetime.now(d.UTC) + d.timedelta(seconds={late});"
        f" sys.stderr.write({f'{begins} {error}'!r}.replace('{{at}}', at.isoformat()) + chr(10));"
        f" sys.stderr.flush(); {STAYS}"
    )

    end = work("opencode", lines("opencode", Story())[:3], after=says, idle=1.0).end

    assert end.calls == 1
    assert (end.trouble, bool(end.resets_at)) == (trouble, trouble == "usage_limit")


def test_what_qwen_writes_down_of_a_failing_provider_is_known_when_it_is_stopped(
    work: Work,
) -> None:
    failed = {
        "subtype": "ui_telemetry",
        "systemPayload": {
            "uiEvent": {
                "event.name": "qwen-code.api_error",
                "error_message": "no more for now, try again in 2 hours",
                "status_code": 429,
            }
        },
    }
    writes = (
        "at = os.path.join(os.environ['QWEN_HOME'], 'projects/x/chats'); os.makedirs(at);"
        f" open(os.path.join(at, 'c.jsonl'), 'w').write({json.dumps(failed)!r} + chr(10)); {STAYS}"
    )

    end = work("qwen", [], after=writes, idle=1.0).end

    assert (end.trouble, end.told, bool(end.resets_at)) == (
        "usage_limit",
        "no more for now, try again in 2 hours",
        True,
    )


def test_no_secret_of_an_mcp_server_stands_on_a_command_line(work: Work) -> None:
    servers = {"state": {"command": ["state"], "env": {"STATE_TOKEN": "not for everyone"}}}

    for agent in PROGRAMS:
        noted = work(agent, [], servers=servers).noted

        assert not [word for word in noted["words"] if "not for everyone" in word], agent


def test_opencode_says_nothing_more_when_a_permission_was_refused(work: Work) -> None:
    """It leaves with 0 after the refusal, which is neither an end nor a success."""
    ended = work("opencode", lines("opencode", Story(refused=True))[:3])

    assert (ended.end.code, ended.end.said_done, ended.end.trouble) == (0, False, "malformed")
    assert len(ended.end.refusals) == 1


@pytest.mark.parametrize(
    ("agent", "file"),
    [("gemini", "gemini/.gemini/tmp/x/chats/s.jsonl"), ("qwen", "qwen/projects/x/chats/s.jsonl")],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_failed_command_that_is_called_a_success_is_looked_up(
    agent: str, file: str, when: str, work: Work
) -> None:
    """The command printed a code of its own; the agent's is the last. It may be written down late."""
    output = "Output: Exit Code: 0\nExit Code: 0\n\nExit Code: 3\nSignal: 0"
    answer = {"functionResponse": {"id": "call_1", "response": {"output": output}}}
    kept = json.dumps({"message": {"parts": [answer]}})
    write = (
        f"path = os.path.dirname(os.environ['TMPDIR']) + '/{file}'\n"
        f"os.makedirs(os.path.dirname(path)); open(path, 'w').write({kept!r} + chr(10))"
    )

    ended = work(agent, lines(agent, Story(output="Exit Code: 0")), **{when: write})

    (finished,) = ended.payloads("call.finished")
    assert (finished["ok"], finished["facts"]) == (False, {"exit": 3})


def test_an_error_of_qwen_that_it_calls_a_success_is_none() -> None:
    told = TOLD["qwen"](Story(error="500 no"))

    assert not heard_of("qwen", told).done
    assert heard_of("qwen", TOLD["qwen"](Story(said="[API Error: 500] is what I fixed"))).done
    *story, end = TOLD["qwen"](Story())
    failed = {**end, "result": "[API Error: 401 no]"}
    assert not heard_of("qwen", [failed]).done  # no message tells of it
    assert not heard_of("qwen", [*story, failed]).done


def test_claude_says_when_its_limit_ends() -> None:
    soon = int(datetime.now(UTC).timestamp()) + 3600

    def told(status: str, at: int) -> Heard:
        limit = {"status": status, "resetsAt": at}
        return heard_of("claude", [{"type": "rate_limit_event", "rate_limit_info": limit}])

    assert told("rejected", soon).resets_at == datetime.fromtimestamp(soon, UTC).isoformat()
    assert told("rejected", 4_000_000_000).resets_at is None  # no limit lasts for decades
    assert told("rejected", 4_000_000_000).trouble == "usage_limit"
    assert told("allowed", soon).trouble == "none"


def test_words_that_nobody_knows_hide_no_limit_that_was_told_before() -> None:
    soon = int(datetime.now(UTC).timestamp()) + 3600
    limit = {"status": "rejected", "resetsAt": soon}
    story = TOLD["claude"](Story())
    rejected = {"type": "rate_limit_event", "rate_limit_info": limit}
    words = {"type": "text", "text": "No more for you"}
    message = {"id": "s", "model": "<synthetic>", "content": [words], "usage": {}}
    own = {"type": "assistant", "message": message}
    end = {"type": "result", "subtype": "success", "is_error": True, "result": "No more for you"}

    met = heard_of("claude", [rejected, own, end])
    got_over = heard_of("claude", [rejected, *story[:-1], end])

    assert met.trouble == "usage_limit"
    assert met.resets_at == datetime.fromtimestamp(soon, UTC).isoformat()
    assert (got_over.trouble, got_over.resets_at) == ("crash", None)


def test_of_two_times_that_a_limit_ends_the_earlier_is_believed() -> None:
    now = datetime.now(UTC)
    limit = {"status": "rejected", "resetsAt": int(now.timestamp()) + 3600}
    rejected = {"type": "rate_limit_event", "rate_limit_info": limit}
    words = "You've hit your session limit"

    def resets(told: str) -> datetime:
        end = {"type": "result", "subtype": "success", "is_error": True, "result": told}
        return datetime.fromisoformat(heard_of("claude", [rejected, end]).resets_at or "")

    assert resets(f"{words}, try again in 3 hours") - now < timedelta(hours=2)
    assert resets(f"{words}, try again in 5 minutes") - now < timedelta(minutes=6)
    assert resets(words) - now < timedelta(hours=2)


def test_claude_that_tries_again_and_again_is_known_for_why() -> None:
    again = {"type": "system", "subtype": "api_retry", "error_status": 401, "error": "no"}

    assert heard_of("claude", [again]).trouble == "auth"
    assert heard_of("claude", [again, *TOLD["claude"](Story())]).trouble == "none"


@pytest.mark.parametrize("agent", ["claude", "qwen"])
def test_an_end_that_is_no_success_is_none_though_it_calls_itself_no_error(agent: str) -> None:
    *story, end = TOLD[agent](Story())

    heard = heard_of(agent, [*story, {**end, "subtype": "error_max_turns", "is_error": False}])

    assert not heard.done
    assert end_of(PROGRAMS[agent], heard, DONE).trouble == "crash"


def test_one_message_of_claude_in_several_lines_is_counted_once() -> None:
    text = {"type": "text", "text": "Hello"}
    usage = {"input_tokens": 10, "output_tokens": 5}
    line = {"type": "assistant", "message": {"id": "m", "content": [text], "usage": usage}}

    heard = heard_of("claude", [line, line])

    assert (heard.iteration, heard.usage.output_tokens) == (1, 5)


@pytest.mark.parametrize("agent", ["claude", "qwen"])
def test_messages_of_sub_agents_that_alternate_are_counted_once_each(agent: str) -> None:
    def line(name: str, written: int) -> dict[str, Any]:
        usage = {"input_tokens": 100, "output_tokens": written}
        message = {"id": name, "content": [{"type": "text", "text": "x"}], "usage": usage}
        return {"type": "assistant", "parent_tool_use_id": f"of-{name}", "message": message}

    alternating = [line(name, written) for written in (3, 5, 5) for name in "ab"]
    heard = heard_of(agent, alternating)

    assert (heard.iteration, heard.usage.input_tokens, heard.usage.output_tokens) == (2, 200, 10)


@pytest.mark.parametrize("agent", ["claude", "qwen"])
def test_what_is_told_by_message_is_an_event_at_once_and_the_sum_tells_the_difference(
    agent: str,
) -> None:
    heard = Heard(run="r1")
    story = lines(agent, Story())

    told = [
        event.payload["usage"]["output_tokens"]
        for line in story
        for event in read_line(PROGRAMS[agent], heard, line)
        if event.kind == "model.replied"
    ]

    assert sum(told[:2]) == 40
    assert sum(told) == 40


def test_a_sub_agents_words_are_not_the_answer() -> None:
    text = {"type": "text", "text": "from below"}
    message = {"id": "m", "content": [text], "usage": {"output_tokens": 5}}
    line = {"type": "assistant", "parent_tool_use_id": "call_9", "message": message}

    assert heard_of("claude", [line]).answer == ""


AIDER = """\
Aider v0.86.2
Model: openai/x with diff edit format

I rename it. The old one said litellm.RateLimitError: no.

Tokens: 1.2k sent, 300 cache hit, 56 received. Cost: $0.01 message, $0.01 session.
Applied edit to src/a.py
"""


def test_aiders_text_is_a_story_too(work: Work) -> None:
    ended = work("aider", AIDER.encode().split(b"\n"))

    (edit,) = ended.payloads("call.finished")
    assert edit["summary"] == "Edit src/a.py"
    used = ended.end.usage
    assert (used.input_tokens, used.cached_tokens, used.output_tokens) == (1200, 300, 56)
    assert used.cost == 0.01
    assert "I rename it." in ended.end.answer
    assert (ended.end.trouble, ended.end.said_done) == ("none", True)


def test_aider_tells_of_its_trouble_and_leaves_with_0(work: Work) -> None:
    told = [b"litellm.AuthenticationError: bad key", b"Check your API key.", b""]

    end = work("aider", told).end

    assert (end.trouble, end.said_done, end.code) == ("auth", False, 0)


def test_aider_leaves_nothing_of_its_own_in_the_work_tree(work: Work, workspace: Path) -> None:
    (workspace / ".aider.tags.cache.v3").mkdir()
    before = "os.makedirs('.aider.tags.cache.v4/x'); open('made', 'w').close()"

    work("aider", [], before=before)

    assert sorted(path.name for path in workspace.iterdir()) == [".aider.tags.cache.v3", "made"]


def test_any_command_is_an_agent(work: Work) -> None:
    ways = command_agent(("anything", "--fast", "{prompt}")).ways

    ended = work(ways, [b"Thinking.", b"", b"Done: all tests pass."], prompt="Do it.")

    assert ended.noted["words"] == ["--fast", "{prompt}"]
    assert ended.noted["stdin"] == "Do it."
    assert ended.end.answer == "Thinking.\n\nDone: all tests pass."
    assert [each["thought"] for each in ended.payloads("model.replied")] == [
        "Thinking.",
        "Done: all tests pass.",
    ]
    assert (ended.end.said_done, ended.end.trouble) == (True, "none")


def test_paragraphs_without_number_are_told_in_few_events(work: Work) -> None:
    ways = command_agent(("anything",)).ways

    ended = work(ways, [b"abcdefgh", b""] * 20_000)

    told = [each["thought"] for each in ended.payloads("model.replied")]
    assert len(told) < 400
    assert sum(each.count("abcdefgh") for each in told) == 20_000


def test_of_one_that_tells_too_much_the_beginning_is_kept_and_all_that_it_used() -> None:
    heard = Heard(run="r1", room=Room(events=3))
    for number in range(1, 11):
        heard.replied(f"message {number}")
        heard.used(Usage(input_tokens=10, output_tokens=1, cost=0.0))

    heard.close()

    events = heard.take()
    told = [each.payload["thought"] for each in events if each.kind == "model.replied"]
    used = [each.payload["usage"]["input_tokens"] for each in events if "usage" in each.payload]
    assert told == ["message 1", "message 2", "message 3", ""]
    assert sum(used) == 100
    assert [each.payload["summary"] for each in events if each.kind == "run.warned"] == [
        "The agent tells more than is kept of one attempt; it works on, and the rest is counted",
        "7 more events of this agent were not kept; all it used is counted",
    ]


def test_long_events_fill_the_room_as_many_short_ones_do() -> None:
    heard = Heard(run="r1", room=Room(characters=5_000))

    for _ in range(10):
        heard.replied("x" * 4_000)

    assert [each.kind for each in heard.take()] == ["model.replied", "model.replied", "run.warned"]


def test_a_command_that_fails_is_a_crash(work: Work) -> None:
    ways = command_agent(("anything",)).ways

    end = work(ways, [b"Done: all tests pass."], code=3).end

    assert (end.trouble, end.said_done, end.code) == ("crash", False, 3)


def test_the_agents_on_the_path_are_found(tmp_path: Path) -> None:
    for name in ("codex", "qwen", "not-an-agent"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o700)
    (tmp_path / "gemini").write_text("cannot be run")

    assert [(each.name, each.path) for each in detect(str(tmp_path))] == [
        ("codex", str(tmp_path / "codex")),
        ("qwen", str(tmp_path / "qwen")),
    ]


def test_who_chooses_an_agent_means_it_to_have_its_keys_and_no_others() -> None:
    keys = {
        "OPENAI_API_KEY": "a",
        "ANTHROPIC_API_KEY": "b",
        "AWS_SECRET": "c",
        "OPENAI_BASE_URL": "",
    }

    assert passed_on("codex", keys) == {"OPENAI_API_KEY": "a"}
    assert passed_on("claude", keys) == {"ANTHROPIC_API_KEY": "b"}
    assert passed_on("command", keys) == {}


def test_a_known_model_has_its_price_and_somebodys_own_server_has_none(work: Work) -> None:
    story = lines("codex", Story())
    local = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}

    priced = work("codex", story, model="gpt-4o")

    assert priced.end.usage.cost
    told = [each["usage"]["cost"] for each in priced.payloads("model.replied")]
    assert sum(told) == pytest.approx(priced.end.usage.cost)
    assert work("codex", story, model="gpt-4o", environment=local).end.usage.cost is None
    assert work("codex", story, model="something-else").end.usage.cost is None
