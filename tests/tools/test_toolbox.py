"""From a call to an observation, whatever the model wrote."""

import asyncio
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from prowess.core.chat import Call, Observation, Reply
from prowess.core.ports import Gate
from prowess.core.verdict import Verdict
from prowess.model.scripted import call, final
from prowess.tools.box import open_box
from prowess.tools.place import Place
from prowess.tools.standard import standard_tools
from prowess.tools.toolbox import Tool, Toolbox, seen, typed
from running import Running
from support import write_file

Act = Callable[..., Observation]


def a_tool(run: Callable[[Call], Any], **more: Any) -> Tool:
    schema = {"type": "object", "properties": {}}
    return Tool(name="Odd", kind="API", description="odd", parameters=schema, run=run, **more)


def test_a_typed_function_becomes_a_card(box: Toolbox) -> None:
    cards = {card.name: card for card in box.cards()}

    assert set(cards) == {"Read", "Write", "Edit", "Glob", "Grep", "Bash", "Fetch"}
    read = cards["Read"]
    assert read.description.startswith("Reads a text file")
    assert read.parameters["required"] == ["file_path"]
    assert read.parameters["properties"]["offset"]["type"] == "integer"
    assert "place" not in read.parameters["properties"]


def test_what_only_reads_is_marked(box: Toolbox) -> None:
    reads = {
        name
        for name in ("Read", "Write", "Edit", "Glob", "Grep", "Bash")
        if _tool(box, name).reads_only
    }

    assert reads == {"Read", "Glob", "Grep"}


def _tool(box: Toolbox, name: str) -> Tool:
    tool = box.get(name)
    assert tool
    return tool


@pytest.mark.parametrize(
    ("call", "repeatable"),
    [
        (Call(id="1", tool="Read", input={}), True),
        (Call(id="1", tool="Write", input={}), True),
        (Call(id="1", tool="Edit", input={}), False),
        (Call(id="1", tool="Bash", input={"command": "git log | head -3"}), True),
        (Call(id="1", tool="Bash", input={"command": "git push"}), False),
        (Call(id="1", tool="Bash", input={"command": "cat a > b"}), False),
        (Call(id="1", tool="Bash", input={"command": "cat \"it's\" $(rm x) 'y'"}), False),
        (Call(id="1", tool="Bash", input={"command": "find . -delete"}), False),
        (Call(id="1", tool="Bash", input={}), False),
        (Call(id="1", tool="Bash", input={"command": "echo ran>>log"}), False),
        (Call(id="1", tool="shell", input={"cmd": "echo ran >> log"}), False),
        (Call(id="1", tool="Bash", input={"arguments": '{"command": "git push"}'}), False),
        (Call(id="1", tool="shell", input={"cmd": "git log"}), True),
        (Call(id="1", tool="str_replace", input={"path": "a"}), False),
        (Call(id="1", tool="unheard of", input={}), True),
    ],
)
def test_it_is_known_which_calls_may_be_made_twice(
    box: Toolbox, call: Call, *, repeatable: bool
) -> None:
    assert box.repeatable(call) is repeatable


@pytest.mark.parametrize("said", ["read", "READ", "read_file", "ReadFile", "cat"])
def test_a_tool_is_known_by_other_names(act: Act, workspace: Path, said: str) -> None:
    write_file(workspace / "a.txt", "here")

    seen = act(said, file_path="a.txt")

    assert "here" in seen.text
    assert seen.healed == (f"read {said} as Read",)


def test_an_unknown_tool_is_told_with_the_nearest(act: Act) -> None:
    seen = act("Grepp", pattern="x")

    assert not seen.ok
    assert "Did you mean Grep" in seen.text


@pytest.mark.parametrize(
    "given",
    [
        {"path": "a.txt"},
        {"filePath": "a.txt"},
        {"FILE": "a.txt"},
        {"arguments": '{"file_path": "a.txt",}'},
        {"input": {"file_path": "a.txt"}},
        {"input": '{"file_path": "a.txt" /* the one */}'},
        {"file_path": "a.txt", "limit": "5"},
        {"file_path": "a.txt", "limit": "5", "offset": "1"},
    ],
)
def test_arguments_are_read_as_they_were_meant(
    act: Act, workspace: Path, given: dict[str, Any]
) -> None:
    write_file(workspace / "a.txt", "here")

    seen = act("Read", **given)

    assert "here" in seen.text
    assert seen.healed


@pytest.mark.parametrize("command", [{"a": 1}, ["touch", "made"]])
def test_what_is_no_text_is_never_run_as_a_command(
    act: Act, workspace: Path, command: object
) -> None:
    seen = act("Bash", command=command)

    assert not seen.ok
    assert not seen.healed
    assert "command" in seen.text
    assert list(workspace.iterdir()) == []


def test_the_call_as_meant_can_be_shown_to_the_gate(box: Toolbox) -> None:
    mended = box.mend(Call(id="7", tool="shell", input={"cmd": "ls"}))

    assert mended.call == Call(id="7", tool="Bash", input={"command": "ls"})
    assert box.mend(mended.call) == replace(mended, healed=())


def run_in(box: Toolbox, *script: Reply, gate: Gate, **means: Any) -> Running:
    meant = {"meant": lambda call: box.mend(call).call, "repeatable": box.repeatable}
    run = Running([*script, final("done")], gate=gate, act=box.act, means={**meant, **means})
    run()
    return run


def no_bash(call: Call) -> Verdict:
    return Verdict(allowed=call.tool != "Bash", reason="Bash is not granted", askable=True)


def test_a_mended_call_that_is_not_granted_is_refused(box: Toolbox, workspace: Path) -> None:
    run = run_in(box, call("shell", cmd="touch made"), gate=no_bash)

    (told,) = run.payloads("call.finished")
    assert told["refused"]
    assert run.asked[1][-1].text == "Bash is not granted"
    assert not (workspace / "made").exists()


def test_a_person_is_asked_about_the_call_as_it_was_meant_and_a_yes_holds(
    place: Place, workspace: Path
) -> None:
    shown = []

    async def grant(call: Call, reason: str) -> bool:
        shown.append((call.tool, call.input))
        return True

    here = replace(place, gate=no_bash)
    box = Toolbox(standard_tools(here), here)
    run = run_in(box, call("shell", cmd="touch made"), gate=no_bash, grant=grant)

    (told,) = run.payloads("call.finished")
    assert told["ok"]
    assert shown == [("Bash", {"command": "touch made"})]
    assert (workspace / "made").exists()


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("Read", {}, "file_path is missing. It takes: file_path, offset?, limit?, encoding?"),
        ("Read", {"file_path": "a", "limit": "many"}, "limit: should be a valid integer"),
        ("Read", {"file_path": "a", "limit": 0}, "limit: should be greater than or equal to 1"),
        ("Write", {"file_path": "a", "content": "", "mode": "append"}, "mode is not an argument"),
        ("Grep", {"pattern": "x", "output_mode": "all"}, "output_mode: should be 'content'"),
        ("Bash", {"command": ""}, "command: "),
    ],
)
def test_wrong_arguments_are_told(act: Act, tool: str, given: dict[str, Any], told: str) -> None:
    seen = act(tool, **given)

    assert not seen.ok
    assert told in seen.text


def test_without_healing_a_nearly_right_call_is_wrong(act: Act) -> None:
    assert not act("read", file_path="a", _place={"heals": False}).ok
    assert not act("Read", path="a", _place={"heals": False}).ok


def test_a_fault_of_a_tool_is_an_observation(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(call: Call) -> Observation:
        raise KeyError("oops")

    made = asyncio.run(Toolbox([a_tool(broken)], place).act(Call(id="1", tool="Odd", input={})))

    assert not made.ok
    assert "itself broke (KeyError: 'oops')" in made.text
    assert made.facts == {"fault": "KeyError"}
    assert "the tool Odd broke" in caplog.text


def test_cancellation_passes_through(place: Place) -> None:
    async def endless(call: Call) -> Observation:
        await asyncio.Event().wait()
        raise AssertionError

    async def go() -> None:
        box = Toolbox([a_tool(endless)], place)
        async with asyncio.timeout(0.01):
            await box.act(Call(id="1", tool="Odd", input={}))

    with pytest.raises(TimeoutError):
        asyncio.run(go())


def test_what_must_not_be_done_twice_is_not_tried_again(place: Place, pauses: list[float]) -> None:
    tries = []

    async def busy(call: Call) -> Observation:
        tries.append(call)
        raise OSError(11, "Resource temporarily unavailable")

    once = asyncio.run(Toolbox([a_tool(busy)], place).act(Call(id="1", tool="Odd", input={})))

    assert not once.ok
    assert len(tries) == 1
    assert not pauses


def test_what_may_be_repeated_is_tried_a_bounded_number_of_times(
    place: Place, pauses: list[float]
) -> None:
    tries = []

    async def busy(call: Call) -> Observation:
        tries.append(call)
        raise OSError(11, "Resource temporarily unavailable")

    box = Toolbox([a_tool(busy, repeatable=True)], place)
    made = asyncio.run(box.act(Call(id="1", tool="Odd", input={})))

    assert made.text == "Odd failed: Resource temporarily unavailable"
    assert len(tries) == 4
    assert pauses == [0.05, 0.2, 0.8]


def test_long_output_is_kept_whole_and_shown_short(place: Place) -> None:
    text = "".join(f"line {number} é\n" for number in range(10_000))

    async def talk(call: Call) -> Observation:
        return seen(text)

    made = asyncio.run(Toolbox([a_tool(talk)], place).act(Call(id="a/../b", tool="Odd", input={})))

    assert len(made.text) < 31_000
    assert made.text.startswith("line 0 é\nline 1 é")
    assert made.text.endswith("line 9999 é\n")
    whole = made.facts["whole_output"]
    assert whole in made.text
    assert Path(whole).read_text() == text
    assert Path(whole).parent == Path(place.outputs)
    assert os.stat(whole).st_mode & 0o777 == 0o600
    assert "line 5000" in _read(place, whole)


def test_what_was_kept_whole_stays_when_a_server_gives_the_same_id_again(place: Place) -> None:
    async def talk(call: Call) -> Observation:
        return seen(f"{call.input['word']}\n" * 10_000)

    box = Toolbox([replace(a_tool(talk), parameters={"type": "object"})], place)
    made = [
        asyncio.run(box.act(Call(id="call_1", tool="Odd", input={"word": word})))
        for word in ("first", "second", "third")
    ]

    kept = [Path(each.facts["whole_output"]).read_text()[:5] for each in made]
    assert kept == ["first", "secon", "third"]
    assert [oct(os.stat(each.facts["whole_output"]).st_mode & 0o777) for each in made] == [
        "0o600"
    ] * 3


SECRET = "zz" + "TopSecretValue" * 4 + "99Q"


def without_secret(text: str) -> str:
    return text.replace(SECRET, "[secret]")


@pytest.mark.parametrize("before", range(17_900, 18_100, 20))
def test_no_secret_is_cut_in_two_where_long_output_is(place: Place, before: int) -> None:
    async def talk(call: Call) -> Observation:
        return seen("x" * before + SECRET + "y" * 40_000)

    here = replace(place, clean=without_secret)
    made = asyncio.run(Toolbox([a_tool(talk)], here).act(Call(id="1", tool="Odd", input={})))

    assert "TopSecret" not in made.text
    assert "TopSecret" not in Path(made.facts["whole_output"]).read_text()


@pytest.mark.parametrize("before", [300, 360, 399, 1_940, 1_999, 6_000])
def test_no_secret_is_cut_in_two_where_a_long_line_is(
    act: Act, workspace: Path, before: int
) -> None:
    write_file(workspace / "a.txt", "x" * before + SECRET + "y" * 9_000)
    clean = {"clean": without_secret}

    read = act("Read", file_path="a.txt", _place=clean).text
    found = act("Grep", pattern="xx", _place=clean).text

    assert "xx" in read
    assert "xx" in found
    assert "zzTop" not in read + found


def test_others_go_on_while_long_output_is_cleaned(place: Place) -> None:
    loops = threading.Semaphore(0)

    def slow(text: str) -> str:
        assert loops.acquire(timeout=60)  # which only the loop lets go
        return text

    async def talk(call: Call) -> Observation:
        return seen("x" * 40_000)

    async def go() -> Observation:
        box = Toolbox([a_tool(talk)], replace(place, clean=slow))
        made = asyncio.create_task(box.act(Call(id="1", tool="Odd", input={})))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.01, loops.release)
        return await made

    assert asyncio.run(go()).ok


def _read(place: Place, path: str) -> str:
    box = Toolbox(standard_tools(place), place)
    call = Call(id="2", tool="Read", input={"file_path": path, "offset": 4990, "limit": 20})
    return asyncio.run(box.act(call)).text


async def greet(place: Place, *, name: str = "you", times: float = 1) -> Observation:
    return seen(f"hello {name} " * int(times))


def test_any_typed_function_can_be_a_tool(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prowess.tools.toolbox.description", lambda name: f"about {name}")
    tool = typed("Greet", "API", partial(greet, place))

    made = asyncio.run(
        Toolbox([tool], place).act(Call(id="9", tool="Greet", input={"name": "all"}))
    )

    assert made == Observation(call_id="9", text="hello all ")
    assert tool.card().description == "about greet"


@pytest.mark.parametrize(
    ("home", "warned"), [("workspace", True), ("workspace/me", True), (".", False), ("run", False)]
)
def test_it_is_warned_of_a_home_folder_as_the_workspace(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str, *, warned: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / home))

    async def go() -> tuple[str, ...]:
        async with open_box(place, {}) as box:
            return box.warnings

    assert any("your home folder" in each for each in asyncio.run(go())) is warned


def test_fields_that_are_null_are_left_out(act: Act, workspace: Path) -> None:
    write_file(workspace / "a.txt", "one\n")

    seen = act("Read", file_path="a.txt", offset=None, limit=None)

    assert seen.ok
    assert "left out offset, which was null" in seen.healed


def test_a_field_that_must_be_given_is_not_left_out(act: Act) -> None:
    seen = act("Read", file_path=None)

    assert not seen.ok
    assert "file_path" in seen.text
