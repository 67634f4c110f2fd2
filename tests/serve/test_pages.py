"""The dashboard, in a real browser: everything real but the model."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from house import skill_file
from prowess.board import sessions, tasks
from prowess.core.event import Event
from prowess.model.scripted import call, final
from prowess.serve import pages
from serve.looking import NASTY, Looking, tell
from serve.served import Home, Served
from support import until, write_file

USER, MAKER = "user" * 5, "maker" * 5

REPORTS = [
    call("Read", thought="First the numbers.", file_path="numbers.txt"),
    call("Read", thought="There may be more.", file_path="nothing-like-it-anywhere.txt"),
    final("The numbers add up to 6."),
]
ASKS = [
    call("Ask", question="Which colour?", options=["red", "blue"]),
    call("Ask", question="And why?"),
    final("Thank you."),
]
HOSTILE = [
    call("Read", thought=NASTY, file_path="hostile.txt"),
    call("Ask", question=NASTY),
    final(NASTY),
]
DEPLOY = """
name: deploy
description: Deploys a thing.
steps:
  - {id: plan, output: Deploying.}
  - {id: where, question: Where to?, options: [staging, production], store: where}
  - {id: end, output: "It is on {where}."}
"""
LEADS = [call("Skill", name="digs", arguments="deep"), final("Done.")]
DIGS = [call("Read", file_path="numbers.txt"), final("Dug up 6.")]
WAITS = [call("Bash", command="sleep 60"), final("Rested.")]

SCRIPTS = {
    "reports": REPORTS,
    "asks": ASKS,
    "hostile": HOSTILE,
    "waits": WAITS,
    "leads": LEADS,
    "digs": DIGS,
}
GUARDED = """
name: guarded
description: Needs leave.
allowed-tools: Read
steps:
  - {id: make, command: touch granted}
"""


@pytest.fixture
def at(home: Path, project: Path, tmp_path: Path) -> Home:
    for name in SCRIPTS:
        skill_file(project, name, "Do it.")
    write_file(project / "numbers.txt", "1\n2\n3\n")
    write_file(project / "hostile.txt", NASTY)
    skill_file(project, "digs", "Dig.", context="fork")
    return Home(project, tmp_path / "data", SCRIPTS)


@pytest.fixture
def served(at: Home) -> Iterator[Served]:
    with at.serving(faces=[pages.include]) as server:
        yield server


def test_a_run_is_started_watched_and_answered_on_the_page(looking: Looking) -> None:
    page = looking.at("")
    page.get_by_role("banner").get_by_role("button", name="Start a run").click()
    page.get_by_label("Skill", exact=True).fill("asks")
    page.get_by_label("What it is to do").fill("paint it")
    page.get_by_role("button", name="Start", exact=True).click()

    expect(page.get_by_role("heading", name="asks", exact=True)).to_be_visible()
    expect(page.locator(".run-head")).to_contain_text("paint it")
    expect(page.locator(".ask").get_by_text("Which colour?")).to_be_visible()
    page.get_by_role("button", name="blue").click()
    page.get_by_label("Your answer").fill("It is calm.")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator(".answer")).to_contain_text("Thank you.")
    expect(page.locator(".run-head .state")).to_contain_text("done")
    expect(page.get_by_role("heading", name="It asks you")).to_have_count(0)


def test_a_summary_comes_first_and_full_details_on_demand(looking: Looking, served: Served) -> None:
    run = served.start("reports")
    served.ended(run)
    page = looking.at(f"runs/{run}")
    timeline = page.locator(".timeline")

    expect(timeline).to_contain_text("Read numbers.txt")
    expect(timeline).to_contain_text("nothing-like-it-anywhere.txt: failed")
    expect(timeline).not_to_contain_text("First the numbers.")
    page.get_by_label("Show full details").check()
    expect(timeline).to_contain_text("First the numbers.")
    result = timeline.locator("pre", has_text="1")
    expect(result).to_have_count(0)
    timeline.get_by_text("Read numbers.txt").click()
    expect(result.first).to_be_visible()
    page.reload()
    expect(page.get_by_label("Show full details")).to_be_checked()


def test_a_run_can_be_cancelled_once_one_is_sure(looking: Looking, served: Served) -> None:
    run = served.start("waits")
    page = looking.at(f"runs/{run}")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".run-head .state")).to_contain_text("running")
    page.get_by_role("button", name="Really cancel?").click()

    expect(page.locator(".run-head .state")).to_contain_text("cancelled")


def test_a_run_is_tried_again_from_an_iteration(looking: Looking, served: Served) -> None:
    run = served.start("reports")
    served.ended(run)
    page = looking.at(f"runs/{run}")
    page.get_by_label("Show full details").check()
    page.get_by_role("button", name="Fork from here").nth(1).click()
    page.wait_for_url(lambda url: run not in url)

    expect(page.locator(".answer")).to_contain_text("add up to 6")


def test_the_list_of_runs_moves_while_one_looks(looking: Looking, served: Served) -> None:
    page = looking.at("runs")
    expect(page.get_by_text("No runs yet.")).to_be_visible()
    run = served.start("asks")

    row = page.get_by_role("row", name="asks")
    expect(row).to_contain_text("waits for you")
    served.post(f"/api/runs/{run}/answer", {"answer": "red"})
    served.post(f"/api/runs/{run}/cancel")
    expect(row).to_contain_text("cancelled")


def test_runs_come_a_page_at_a_time(looking: Looking, served: Served) -> None:
    for number in range(120):
        tell(served, f"{number:012x}", "run.started", skill=f"skill-{number}", run_kind="skill")
        outcome = {"ending": "done", "answer": "", "reason": ""}
        tell(served, f"{number:012x}", "run.finished", outcome=outcome)
    page = looking.at("runs")

    expect(page.get_by_role("row")).to_have_count(51)
    page.get_by_role("button", name="Older").click()
    expect(page.get_by_role("link", name="skill-69", exact=True)).to_be_visible()
    page.get_by_role("button", name="Older").click()
    expect(page.get_by_role("row")).to_have_count(21)
    expect(page.get_by_role("button", name="Older")).to_be_disabled()
    page.get_by_role("button", name="Newer").click()
    expect(page.get_by_role("link", name="skill-69", exact=True)).to_be_visible()


def test_of_a_long_run_only_so_much_is_drawn_and_all_of_it_can_be_reached(
    looking: Looking, served: Served
) -> None:
    tell(served, "long", "run.started", skill="long", run_kind="skill", max_iterations=300)
    for iteration in range(1, 251):
        for number in range(2):
            fact = {"call_id": f"{iteration}-{number}", "tool": "Read", "iteration": iteration}
            said = f"call {iteration}.{number} of it"
            tell(served, "long", "call.finished", ok=True, text="x", summary=said, **fact)
    page = looking.at("runs/long")

    expect(page.locator("ol").get_by_text("call 250.1 of it")).to_be_visible()
    assert page.locator("main *").count() < 1500
    for _ in range(3):
        page.get_by_role("button", name="earlier iteration").click()
    expect(page.get_by_text("call 1.0 of it")).to_be_visible()


def test_a_sub_agent_is_followed_inside_its_parents_story(looking: Looking, served: Served) -> None:
    run = served.start("leads")
    served.ended(run)
    page = looking.at(f"runs/{run}")
    page.locator(".timeline summary", has_text="digs").first.click()

    expect(page.locator(".timeline .timeline")).to_contain_text("Read numbers.txt")
    page.get_by_role("link", name=f"Open the trace of {run}.1").click()
    expect(page.locator(".answer")).to_contain_text("Dug up 6.")
    expect(page.get_by_role("link", name=run, exact=True)).to_be_visible()


def test_a_page_that_lost_the_server_goes_on_where_it_was(looking: Looking, served: Served) -> None:
    looking.expected = "ERR_"
    run = served.start("asks")
    page = looking.at(f"runs/{run}")
    expect(page.get_by_role("button", name="red")).to_be_visible()
    page.route("**/events?*", lambda route: route.abort())
    served.within(_let_go(served))
    expect(page.locator("#link")).to_have_text("reconnecting…")
    served.post(f"/api/runs/{run}/answer", {"answer": "red"})
    page.unroute("**/events?*")

    expect(page.get_by_label("Your answer")).to_be_visible()
    expect(page.locator(".timeline")).to_contain_text("And why?")
    assert page.locator(".line", has_text="Run asks").count() == 1


def test_a_loop_is_told_task_by_task_with_what_was_proven(looking: Looking, served: Served) -> None:
    tell(served, "loop", "run.started", skill="PLAN.md", run_kind="loop")
    for label, mark in (("Write the parser", "R"), ("Paint the moon", "~")):
        tell(served, "loop", "loop.task", task=label)
        tell(served, "loop", "loop.phase", task=label, phase="implement", attempt=2)
        tell(served, "loop", "loop.recorded", task=label, mark=mark, reason="no ladder")
    tell(served, "loop", "loop.task", task="Tidy up")
    tell(served, "loop", "loop.recorded", task="Tidy up", mark="R", reason="reviewed by codex")
    evidence = {"location": "moon.md:1", "type": "file_inspection"}
    looked = {"evidence": evidence, "state": "refuted", "seen": "there is no such file"}
    tell(served, "loop", "check.criterion", text="It shines", verdict="FAIL", evidence=[looked])
    page = looking.at("loop")
    page.get_by_role("link", name="PLAN.md").click()

    expect(page.locator(".task", has_text="Write the parser")).to_contain_text("proven")
    expect(page.locator(".task", has_text="Tidy up")).to_contain_text("reviewed by codex")
    expect(page.locator(".task", has_text="Tidy up")).not_to_contain_text("proven")
    expect(page.locator(".task", has_text="Paint the moon")).to_contain_text("no ladder")
    expect(page.locator(".proof li", has_text="It shines")).to_contain_text("refuted: there is no")
    page.get_by_role("heading", name="What happened").wait_for()
    expect(page.locator(".round-head", has_text="Paint the moon")).to_be_visible()


def test_a_loop_is_a_board_on_which_one_sees_who_is_at_work_and_what_was_seen(
    looking: Looking, served: Served
) -> None:
    labels = ("Write the parser", "Write its manual", "Paint the moon")
    planned = [{"task": label, "line": line, "mark": " "} for line, label in enumerate(labels)]
    tell(served, "loop", "run.started", skill="PLAN.md", run_kind="loop")
    tell(served, "loop", "loop.planned", tasks=planned)
    for number, label in enumerate(labels[:2], 1):
        tell(served, "loop", "loop.task", task=label)
        tell(served, "loop", "loop.phase", task=label, phase="implement")
        facts = {"child": f"loop.{number}", "skill": "codex", "task": label}
        tell(served, "loop", "agent.forked", **facts)
        tell(served, f"loop.{number}", "attempt.started", run_kind="attempt")
    page = looking.at("loop/loop")
    column = page.get_by_role("region")
    expect(column.filter(has_text="To do 1").locator(".task")).to_have_text("Paint the moon")
    expect(page.locator(".heard")).to_have_count(0)
    tell(served, "loop.1", "call.started", summary="Bash make parser", visibility="SUMMARY")
    tell(served, "loop.2", "call.started", summary="Bash make manual", visibility="SUMMARY")
    tell(served, "other.1", "call.started", summary="Bash make noise", visibility="SUMMARY")

    parser, manual = (page.locator(".task", has_text=label) for label in labels[:2])
    expect(parser.locator(".heard")).to_have_text("Bash make parser")
    expect(manual.locator(".heard")).to_have_text("Bash make manual")
    expect(parser.locator(".verdict")).to_have_text("implement")

    for verdict, text in (("PASS", "It parses"), ("FAIL", "It is quick")):
        facts = {"verdict": verdict, "text": text, "summary": f"{verdict}: {text}"}
        tell(served, "loop", "check.criterion", task=labels[0], **facts)
    parser.get_by_text("1 of 2 criteria seen to hold").click()
    expect(parser.locator(".ticks li")).to_have_text(["✓ It parses ", "✕ It is quick "])
    expect(manual).not_to_contain_text("It parses")
    told = page.locator(".round", has=page.get_by_role("heading", name=labels[0]))
    expect(told).to_contain_text("PASS: It parses")

    tell(served, "loop", "loop.recorded", task=labels[0], mark="R", reason="proven")
    done = column.filter(has_text="Done 1").locator(".task")
    expect(done).to_contain_text("proven")
    expect(done.get_by_role("link", name="codex, run 1 for Write the parser")).to_have_attribute(
        "href", "#/runs/loop.1"
    )


def test_a_workflow_shows_what_it_says_and_where_it_stands(
    looking: Looking, served: Served
) -> None:
    tell(served, "flow", "run.started", skill="session-start", run_kind="workflow")
    step = {"step": "look", "step_kind": "command", "index": 1, "total": 2}
    tell(served, "flow", "step.started", **{**step, "summary": "Look at the board"})
    tell(served, "flow", "step.finished", ok=True, **{**step, "summary": "Look at the board"})
    tell(served, "flow", "output.shown", text="Board:\n0 open", format="text", step="show")
    page = looking.at("runs/flow")

    expect(page.locator(".timeline")).to_contain_text("0 open")
    expect(page.locator(".line", has_text="Look at the board")).to_have_count(1)


def test_whoever_stands_on_a_link_stays_there_when_the_page_moves(
    looking: Looking, served: Served
) -> None:
    served.ended(served.start("reports"))
    page = looking.at("")
    page.get_by_role("link", name="reports").focus()
    served.start("asks")

    expect(page.get_by_role("heading", name="Now: 1 run")).to_be_visible()
    expect(page.get_by_role("link", name="reports")).to_be_focused()


def test_what_a_run_says_is_never_read_as_html(looking: Looking, served: Served) -> None:
    run = served.start("hostile", arguments=NASTY)
    page = looking.at(f"runs/{run}")
    page.get_by_label("Show full details").check()
    expect(page.locator(".ask")).to_contain_text(NASTY)
    page.get_by_text("Read hostile.txt").click()
    page.get_by_label("Your answer").fill(NASTY)
    page.get_by_role("button", name="Answer").click()

    expect(page.locator(".answer")).to_contain_text(NASTY)
    assert page.locator("main img").count() == 0
    assert page.title() != "taken"


def test_the_overview_tells_success_and_what_runs_now(looking: Looking, served: Served) -> None:
    served.ended(served.start("reports"))
    page = looking.at("")

    expect(page.locator(".tile", has_text="Success")).to_contain_text("100 %")
    expect(page.get_by_role("img", name="Runs by how they ended")).to_be_visible()
    served.start("asks")
    expect(page.get_by_role("heading", name="Now: 1 run")).to_be_visible()
    page.locator(".now a").click()
    expect(page.get_by_role("button", name="red")).to_be_visible()


def test_the_chart_of_endings_tells_apart_what_needs_attention(
    looking: Looking, served: Served
) -> None:
    outcome = {"ending": "needs_attention", "reason": "in doubt", "iterations": 1}
    tell(served, "doubt", "run.started", skill="reports", run_kind="skill")
    tell(served, "doubt", "run.finished", outcome=outcome)
    page = looking.at("")

    chart = page.locator(".chart", has_text="Runs by how they ended")
    expect(chart.locator(".legend")).to_contain_text("needs attention")
    expect(chart.locator("rect title")).to_contain_text(["needs attention 1"])


def test_a_task_is_tried_and_the_reason_told(looking: Looking, project: Path) -> None:
    skill_file(project, "sums", "Add.", description="Adds up invoices. Use for bookkeeping.")
    page = looking.at("skills")
    expect(page.get_by_role("link", name="sums")).to_be_visible()
    page.get_by_label("Which skill fits a task?").fill("add up the invoices for bookkeeping")
    page.get_by_role("button", name="Match").click()

    expect(page.locator(".matches")).to_contain_text("invoices")
    page.get_by_label("Which skill fits a task?").fill("zzzz qqqq")
    page.get_by_role("button", name="Match").click()
    expect(page.get_by_text("No skill fits this task")).to_be_visible()


def test_a_workflow_is_run_and_answered_on_the_page(
    looking: Looking, served: Served, project: Path
) -> None:
    write_file(project / ".agents/skills/deploy/skill.yaml", DEPLOY)
    until(lambda: "deploy" in served.site.catalog.skills)
    page = looking.at("skills/deploy")
    page.get_by_role("button", name="Run it").click()
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="staging").click()

    expect(page.locator(".answer")).to_contain_text("It is on staging.")
    expect(page.locator(".timeline")).to_contain_text("Deploying.")


def test_a_problem_is_explained(looking: Looking, project: Path) -> None:
    write_file(project / ".agents/skills/half/SKILL.md", "---\nname: half\n---\n\nDo it.\n")
    page = looking.at("skills")
    problem = page.locator(".problems li", has_text="half")

    expect(problem).to_contain_text("no description")
    expect(problem).to_contain_text("what the skill does and when to use it")
    expect(page.get_by_text("is listed, and not run")).to_be_visible()
    skill_file(project, "half", "Do it.")
    expect(page.get_by_role("link", name="half")).to_be_visible()
    expect(problem).to_have_count(0)


def test_what_happens_while_a_page_is_drawn_is_not_missed(
    looking: Looking, served: Served, project: Path
) -> None:
    def late(route: Route) -> None:
        """The page has looked already, and its line opens only after the change was told."""
        write_file(project / ".agents/skills/half/SKILL.md", "---\nname: half\n---\n\nDo it.\n")
        until(lambda: bool(served.site.log.last(1, kind="SKILLS_LOAD_FAILED")))
        route.continue_()

    looking.page.route("**/api/events*", late, times=1)
    page = looking.at("skills")

    expect(page.locator(".problems li", has_text="half")).to_contain_text("no description")


def test_a_skill_is_shown_whole_and_run_from_there(looking: Looking) -> None:
    page = looking.at("skills/reports")

    expect(page.get_by_role("heading", name="Instructions")).to_be_visible()
    expect(page.locator("pre")).to_contain_text("Do it.")
    page.get_by_role("button", name="Run it").click()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".answer")).to_contain_text("add up to 6")


def test_a_loop_is_shown_as_a_loop_and_not_as_a_skill(looking: Looking, served: Served) -> None:
    for kind, facts in (
        ("run.started", {"skill": "PLAN.md", "run_kind": "loop"}),
        ("run.finished", {"outcome": {"ending": "done"}}),
    ):
        payload = {"visibility": "SUMMARY", "summary": "Loop over PLAN.md", **facts}
        served.site.log.append(Event(run="looping", kind=kind, payload=payload))
    page = looking.at("")

    expect(page.get_by_role("heading", name="By loop")).to_be_visible()
    expect(page.locator("a[href='#/skills/PLAN.md']")).to_have_count(0)
    page = looking.at("runs/looping")
    expect(page.get_by_role("heading", name="Loop over PLAN.md")).to_be_visible()
    expect(page.get_by_role("button", name="Run again")).to_have_count(0)


def test_runs_of_several_projects_are_told_apart(looking: Looking, served: Served) -> None:
    def loop(run: str, project: str) -> None:
        tell(served, run, "run.started", skill="PLAN.md", run_kind="loop", project=project)
        tell(served, run, "run.finished", outcome={"ending": "done"})

    loop("one", "/srv/ada/blog")
    for place in ("runs", "loop"):
        page = looking.at(place)
        expect(page.get_by_role("columnheader", name="Project")).to_have_count(0)
    loop("two", "/srv/ada/shop")
    for place in ("runs", "loop"):
        page = looking.at(place)
        expect(page.locator("td[data-label=Project]")).to_have_text(["shop", "blog"])
        expect(page.get_by_title("/srv/ada/shop")).to_be_visible()
    page = looking.at("runs/two")
    expect(page.locator(".facts").get_by_title("/srv/ada/shop")).to_have_text("shop")
    page = looking.at("")
    plans = page.locator("td[data-label=Plan]")
    expect(plans).to_have_text(["PLAN.md in blog", "PLAN.md in shop"])


def test_an_agents_attempt_is_no_skill_to_run_again_and_costs_nobody_knows_what(
    looking: Looking, served: Served
) -> None:
    tell(served, "loop", "run.started", skill="PLAN.md", run_kind="loop")
    tell(served, "loop", "agent.forked", child="loop.1", skill="command")
    tell(served, "loop.1", "attempt.started", skill="command", run_kind="attempt", parent="loop")
    usage = {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "cost": 0.0}
    tell(served, "loop.1", "model.replied", usage=usage, model="", iteration=1, thought="Hi")
    outcome = {"ending": "done", "answer": "Done.", "tokens": 0, "cost": 0.0}
    tell(served, "loop.1", "attempt.finished", outcome=outcome)

    page = looking.at("runs/loop.1")
    expect(page.locator(".answer")).to_contain_text("Done.")
    expect(page.get_by_role("button", name="Run again")).to_have_count(0)
    for place in ("runs/loop.1", "runs/loop", "runs", ""):
        page = looking.at(place)
        expect(page.get_by_text("\u2013").first).to_be_visible()
        expect(page.locator("main")).not_to_contain_text("$0")


def test_a_task_is_made_claimed_and_done_on_the_board(looking: Looking, served: Served) -> None:
    page = looking.at("board")
    page.get_by_role("button", name="New task").first.click()
    page.get_by_label("What is to be done").fill("Fix the parser")
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("button", name="Claim ENG-M-0001").click()
    page.get_by_role("dialog").get_by_role("button", name="Claim").click()

    expect(page.get_by_role("button", name="Done ENG-M-0001")).to_be_visible()
    assert tasks.find(served.site.board, "ENG-M-0001").status == "in-progress"
    page.get_by_role("button", name="Done ENG-M-0001").click()
    expect(page.locator("section", has_text="Finished").locator(".task")).to_have_count(1)


def test_who_comes_second_is_told_who_has_the_task(looking: Looking, served: Served) -> None:
    looking.expected = "409"  # a browser tells of every refused request
    made = tasks.create(served.site.board, title="Fix it", role="Engineer")
    sessions.start(served.site.board, "Ogun", role="Engineer")
    page = looking.at("board")
    page.get_by_role("button", name=f"Claim {made.id}").click()
    tasks.claim(served.site.board, made.id, session="Ogun")
    page.get_by_role("dialog").get_by_role("button", name="Claim").click()

    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(f"Ogun has {made.id}")


def test_where_there_is_nothing_the_page_says_what_to_do(looking: Looking) -> None:
    for place, words in {
        "": "Nothing has run here yet.",
        "runs": "prowess run session-start",
        "board": "prowess task create",
        "loop": "prowess loop PLAN.md",
    }.items():
        expect(looking.at(place).locator(".empty")).to_contain_text(words)


def test_the_settings_in_force_are_told_with_who_sees_what(looking: Looking) -> None:
    page = looking.at("settings")

    expect(page.get_by_role("row", name="END_USER")).to_contain_text("summary")
    expect(page.get_by_text("run_max_iterations")).to_be_visible()


def test_the_keyboard_is_enough(looking: Looking) -> None:
    page = looking.at("")
    keys = page.keyboard
    keys.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    keys.press("Enter")
    expect(page.locator("main")).to_be_focused()
    keys.press("g")
    keys.press("s")
    expect(page.get_by_role("heading", name="Skills", exact=True)).to_be_focused()
    keys.press("/")
    keys.type("asks")
    keys.press("Tab")
    expect(page.get_by_role("link", name="asks", exact=True)).to_be_focused()
    keys.press("Enter")
    expect(page.get_by_role("heading", name="asks", exact=True)).to_be_focused()
    keys.press("n")
    keys.type("asks")
    keys.press("Enter")
    expect(page.get_by_role("button", name="red")).to_be_visible()
    keys.press("j")
    expect(page.get_by_role("button", name="red")).to_be_focused()
    keys.press("Enter")
    expect(page.get_by_label("Your answer")).to_be_visible()
    keys.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Start a run")
    keys.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_no_page_is_wider_than_a_phone(looking: Looking, served: Served) -> None:
    words = "w" * 300
    tell(served, "long", "run.started", skill=words[:60], run_kind="skill", arguments=words)
    fact = {"call_id": "1", "tool": "Bash", "iteration": 1}
    tell(served, "long", "call.finished", ok=False, text=words, summary=words, **fact)
    tasks.create(served.site.board, title=words[:200], role="Engineer")
    looking.page.set_viewport_size({"width": 360, "height": 740})

    for place, drawn in {
        "": ".chart",
        "runs": "tbody tr",
        "runs/long": ".timeline .line",
        "skills": "tbody tr",
        "skills/reports": "pre",
        "board": ".task",
        "loop": ".empty",
        "settings": ".settings",
        "rest": "tbody tr",
    }.items():
        page = looking.at(place)
        page.locator(drawn).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), place


def test_colours_follow_the_system_until_somebody_chooses(looking: Looking) -> None:
    def background() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    page = looking.at("")
    light = background()
    page.emulate_media(color_scheme="dark")
    dark = background()
    page.get_by_role("button", name="Colours").click()

    assert dark != light
    assert background() == light
    page.reload()
    page.locator("main h1").wait_for()
    assert background() == light


def test_with_tokens_the_page_asks_for_one_and_shows_what_its_role_may_see(
    at: Home, browser: Browser
) -> None:
    at.settings = {"serve_tokens": {USER: "END_USER", MAKER: "DEVELOPER"}}
    with at.serving(token=MAKER, faces=[pages.include]) as served, browser.new_context() as context:
        run = served.start("reports", arguments="the secret numbers")
        served.ended(run)
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{served.port}/#/runs/{run}")
        page.get_by_label("Token").fill("not the right one")
        page.get_by_role("button", name="Enter").click()
        expect(page.get_by_text("not known here")).to_be_visible()
        page.get_by_label("Token").fill(USER)
        page.get_by_role("button", name="Enter").click()

        expect(page.locator(".timeline")).to_contain_text("Read numbers.txt")
        expect(page.get_by_label("Show full details")).to_have_count(0)
        expect(page.locator("main")).not_to_contain_text("the secret numbers")
        page.goto(f"http://127.0.0.1:{served.port}/#/skills")
        expect(page.get_by_role("link", name="reports")).to_be_visible()
        page.goto(f"http://127.0.0.1:{served.port}/#/settings")
        expect(page.get_by_text("Settings are for developers.")).to_be_visible()


def test_an_end_user_is_told_who_lets_a_tool_be_used(
    at: Home, project: Path, browser: Browser
) -> None:
    at.settings = {"serve_tokens": {USER: "END_USER", MAKER: "DEVELOPER"}}
    write_file(project / ".agents/skills/guarded/skill.yaml", GUARDED)
    with at.serving(token=MAKER, faces=[pages.include]) as served, browser.new_context() as context:
        context.set_default_timeout(60_000)
        run = served.start("guarded", ask=True)
        until(lambda: served.get(f"/api/runs/{run}").json["state"] == "waiting")
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{served.port}/#/runs/{run}")
        page.get_by_label("Token").fill(USER)
        page.get_by_role("button", name="Enter").click()

        expect(page.locator(".ask")).to_contain_text("To let a tool be used is for DEVELOPER")
        expect(page.locator(".ask button")).to_have_count(0)


async def _let_go(served: Served) -> None:
    served.site.channels.close()
