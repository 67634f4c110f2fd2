"""`match`, `plan`, `prompt --plan`, and what they leave in the log."""

import io
import json
import sys
from pathlib import Path

import pytest

from prowess.cli.matching import shown_score
from prowess.core.selection import Match
from support import Cli, write_file, write_skill

TASK = "Fill in the PDF form and merge the PDF documents"
PLAN = """# Plan

## Tasks
- [R] Read the paper
- [x] Reviews of SQL migrations
  - no locks
- [ ] Fill in the PDF form and merge the PDF documents
  - every field is filled
  - files: src/*.{py,pyi}
  - after: Read the paper
- [ ] Tune the piano
- [ ] Sell the piano
  - after: Tune the piano, Buy a van

## Validation commands
```bash
make test
```

## Verification
- [ ] Listen
"""


@pytest.fixture
def skills(project: Path) -> Path:
    """A project with a few skills, switched on for the loop."""
    root = project / ".agents/skills"
    write_skill(
        root,
        "pdf-forms",
        description="Fills in PDF forms and merges PDF documents.",
        body="# Forms\n\nKeep the fields.",
    )
    write_skill(root, "sql-review", description="Reviews SQL migrations for locks.")
    write_skill(root, "cooking", description="Cooks rice with vegetables.")
    write_file(project / "prowess.toml", "[skills]\nskills_enabled = true\n")
    write_file(project / "PLAN.md", PLAN)
    return root


# match


def test_match_names_the_skill_its_score_and_why(cli: Cli, skills: Path) -> None:
    found = cli("match", TASK)

    assert found.code == 0
    (row,) = found.out.splitlines()
    name, score, why = row.split("\t")
    assert name == "pdf-forms"
    assert 0 < float(score) <= 1
    assert "PDF (name)" in why


def test_match_as_json_is_the_selection_with_scores(cli: Cli, skills: Path) -> None:
    found = cli("match", f"{TASK} @xyzzy", "--json").json

    assert set(found) == {"run_id", "step_kind", "task_label", "skills", "strategy", "errors"}
    (skill,) = found["skills"]
    assert set(skill) == {"name", "path", "score", "reason"}
    assert skill["path"] == str(skills / "pdf-forms")
    assert (found["strategy"], found["step_kind"]) == ("match", "implementation")
    assert "@xyzzy" in found["errors"][0]


def test_explain_says_what_each_word_gave(cli: Cli, skills: Path) -> None:
    told = cli("match", TASK, "--explain", "--json").json
    text = cli("match", TASK, "--explain").out

    given = told["explained"]["pdf-forms"]
    assert {"pdf", "form", "merg", "(side by side)"} <= set(given)
    assert sum(given.values()) == pytest.approx(told["skills"][0]["score"], abs=0.001)
    assert f"pdf {given['pdf']:.4f}" in text


def test_explain_is_about_the_ranking_that_chose(cli: Cli, skills: Path) -> None:
    task = f"{TASK} @sql-review"
    told = cli("match", task, "--explain", "--json").json

    assert told["explained"]["sql-review"] == {}
    given = told["explained"]["pdf-forms"]
    assert not {"sql", "review"} & set(given)
    assert sum(given.values()) == pytest.approx(told["skills"][1]["score"], abs=0.001)
    assert "sql-review:" not in cli("match", task, "--explain").out


def test_a_task_that_nothing_fits_is_answered_with_none(cli: Cli, skills: Path) -> None:
    for task in ("Tune the piano", "the of and"):
        found = cli("match", task)
        assert (found.code, found.out) == (0, "")
        assert "No skill fits" in found.err
        assert cli("match", task, "--json").json["strategy"] == "none"


def test_a_task_needs_no_quotes(cli: Cli, skills: Path) -> None:
    def told(*words: str) -> object:
        return {**cli("match", *words, "--json").json, "run_id": ""}

    assert told(*TASK.split()) == told(TASK)
    assert "[TASK]…" in cli("match", "--help").out


@pytest.mark.parametrize("task", [[], [""], ["  "], ["", " "]])
def test_no_task_is_refused_however_it_is_not_said(cli: Cli, skills: Path, task: list[str]) -> None:
    found = cli("match", *task)

    assert (found.code, found.out) == (2, "")
    assert "one task, or --batch FILE, is needed" in found.err
    assert 'prowess match "what is to be done"' in found.err


def test_where_none_is_chosen_the_nearest_is_told_and_what_to_do(cli: Cli, skills: Path) -> None:
    found = cli("match", "documents")
    near = cli("match", "documents", "--json").json["nearest"][0]

    assert found.code == 0
    told = shown_score(Match(name="", reason="", score=near["score"]))
    assert f"Nearest: pdf-forms ({told})" in found.err
    assert "; 0.30 is needed" in found.err
    assert "name the skill (@pdf-forms)" in found.err
    assert "--no-threshold" in found.err
    assert near["name"] == "pdf-forms"
    assert "nearest" not in cli("match", "Tune the piano", "--json").json
    assert "Nearest" not in cli("match", "Tune the piano").err


def test_a_skill_that_no_hint_can_name_is_not_said_to_be_hinted_at(cli: Cli, skills: Path) -> None:
    write_skill(skills, "日報", description="Writes turbines down.")

    found = cli("match", "turbines")

    assert "日報" in found.err
    assert "@" not in found.err


def test_where_the_settings_allow_none_that_is_said(cli: Cli, skills: Path, project: Path) -> None:
    write_file(project / "prowess.toml", "[skills]\nskills_max_selected_impl = 0\n")

    assert "the settings say 0" in cli("match", TASK).err
    assert cli("match", TASK, "--limit", "1").out.startswith("pdf-forms")


def test_a_score_below_the_threshold_never_looks_like_it() -> None:
    assert shown_score(Match(name="x", reason="", score=0.2999)) == "0.29"
    assert shown_score(Match(name="x", reason="", score=0.3)) == "0.30"


def test_no_threshold_shows_the_nearest(cli: Cli, skills: Path) -> None:
    assert cli("match", "documents", "--json").json["skills"] == []
    assert cli("match", "documents", "--no-threshold").out.startswith("pdf-forms\t")


def test_a_step_has_its_own_limit_and_limit_overrides_it(cli: Cli, skills: Path) -> None:
    for n in range(3):
        write_skill(skills, f"pdf-{n}", description="Fills in PDF forms and merges PDF documents.")

    def count(*words: str) -> int:
        return len(cli("match", TASK, "--no-threshold", "--json", *words).json["skills"])

    assert count() == 2
    assert count("--step", "review") == 1
    assert count("--limit", "3") == 3
    assert count("--step", "review", "--limit", "4") == 4


def test_wrong_words_are_wrong_usage(cli: Cli, skills: Path) -> None:
    write_file(skills.parent / "q.jsonl", "")

    assert cli("match").code == 2
    assert cli("match", TASK, "--batch", skills.parent / "q.jsonl").code == 2
    assert cli("match", TASK, "--step", "deploy").code == 2
    assert cli("match", TASK, "--limit", "0").code == 2
    assert cli("match", TASK, "--step", "deploy", "--json").json["error"] is True


def test_a_batch_is_answered_line_by_line(cli: Cli, skills: Path, project: Path) -> None:
    rows = [{"id": 1, "query": TASK}, {"id": "zwei", "query": "Klavier"}, {"id": 3, "query": ""}]
    write_file(project / "q.jsonl", "\n\n".join(map(json.dumps, rows)))

    found = cli("match", "--batch", "q.jsonl")

    answers = [json.loads(line) for line in found.out.splitlines()]
    assert [each["id"] for each in answers] == [1, "zwei", 3]
    assert [each["strategy"] for each in answers] == ["match", "none", "none"]
    assert answers[0]["skills"][0]["name"] == "pdf-forms"
    assert set(answers[0]["skills"][0]) == {"name", "path", "score", "reason"}


def test_a_batch_abstains_and_is_limited_as_one_task_is(
    cli: Cli, skills: Path, project: Path
) -> None:
    for n in range(6):
        write_skill(skills, f"pdf-{n}", description="Fills in PDF forms and merges PDF documents.")
    write_file(project / "q.jsonl", json.dumps({"id": 1, "query": "documents"}))

    def count(*words: str) -> int:
        return len(json.loads(cli("match", "--batch", "q.jsonl", *words).out)["skills"])

    assert count() == 0
    assert count("--no-threshold") == 5
    assert count("--no-threshold", "--limit", "1") == 1


def test_a_batch_follows_hints_and_tells_what_it_cannot_follow(
    cli: Cli, skills: Path, project: Path
) -> None:
    queries = ("tune the piano @sql-review", f"{TASK} @nope")
    rows = [{"id": n, "query": query} for n, query in enumerate(queries)]
    write_file(project / "q.jsonl", "\n".join(map(json.dumps, rows)))

    out = cli("match", "--batch", "q.jsonl", "--explain").out

    hinted, wrong = map(json.loads, out.splitlines())
    assert (hinted["strategy"], hinted["errors"]) == ("hint", [])
    assert [each["name"] for each in hinted["skills"]] == ["sql-review"]
    assert "@nope" in wrong["errors"][0]
    assert wrong["explained"]["pdf-forms"]["pdf"] > 0
    assert cli("log", "--json", "--kind", "SKILLS_SELECTED").json == []


def test_a_batch_for_a_step_has_what_the_step_may_have(
    cli: Cli, skills: Path, project: Path
) -> None:
    for n in range(6):
        write_skill(skills, f"pdf-{n}", description="Fills in PDF forms and merges PDF documents.")
    write_file(project / "q.jsonl", json.dumps({"id": 1, "query": TASK}))

    def count(*words: str) -> int:
        found = cli("match", "--batch", "q.jsonl", "--no-threshold", *words).out
        return len(json.loads(found)["skills"])

    assert (count(), count("--step", "implementation"), count("--step", "review")) == (5, 2, 1)
    assert count("--step", "review", "--limit", "3") == 3


def test_a_batch_may_come_on_standard_input(
    cli: Cli, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps({"id": 1, "query": TASK})))

    assert json.loads(cli("match", "--batch", "-").out)["skills"][0]["name"] == "pdf-forms"


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[1]",
        '"text"',
        "7",
        '{"id": 1}',
        '{"query": "x"}',
        '{"id": 1, "query": null}',
        pytest.param("[" * 100_000, id="nested 100,000 deep"),
    ],
)
def test_a_bad_line_is_named_by_its_number(
    cli: Cli, skills: Path, project: Path, line: str
) -> None:
    write_file(project / "q.jsonl", f'{{"id": 1, "query": "x"}}\n{line}\n')

    found = cli("match", "--batch", "q.jsonl")

    assert found.code == 2
    assert "q.jsonl:2" in found.err
    assert len(found.out.splitlines()) == 1


def test_a_batch_that_cannot_be_read_is_said_to(cli: Cli, skills: Path, project: Path) -> None:
    write_file(project / "latin.jsonl", b'{"id": 1, "query": "caf\xe9"}\n')

    assert cli("match", "--batch", "absent.jsonl").code == 2
    assert cli("match", "--batch", "latin.jsonl").code == 2


def test_a_skill_changed_on_disk_is_matched_as_it_is_now(cli: Cli, skills: Path) -> None:
    cli("match", TASK)
    write_skill(skills, "piano", description="Tunes a grand piano by ear, string by string.")

    assert (
        cli("match", "Tune the grand piano string", "--json").json["skills"][0]["name"] == "piano"
    )


# plan


def test_plan_shows_the_tasks_the_next_one_and_what_waits(cli: Cli, skills: Path) -> None:
    found = cli("plan", "PLAN.md")

    assert found.code == 0
    rows = [line.split("\t") for line in found.out.splitlines()]
    assert [(row[0], row[1]) for row in rows] == [
        ("4", "reviewed"),
        ("5", "done, awaiting review"),
        ("7", "to do"),
        ("11", "to do"),
        ("12", "to do"),
        ("21", "ignored"),
    ]
    assert "A loop refuses this plan until that is mended." in found.err
    assert "Next, on line" not in found.err
    assert "line 12 waits for: Tune the piano" in found.err
    assert "'Buy a van'" in found.err


def test_plan_as_json_has_tasks_next_and_validation(cli: Cli, skills: Path) -> None:
    found = cli("plan", "PLAN.md", "--json").json

    assert {"tasks", "next", "validation"} <= set(found)
    assert len(found["tasks"]) == 6
    assert found["next"]["line"] == 7
    assert found["next"]["files"] == ["src/*.{py,pyi}"]
    assert found["validation"] == ["make test"]


def test_a_heading_that_keeps_tasks_for_people_is_told(cli: Cli, project: Path) -> None:
    write_file(project / "mail.md", "## Email verification\n\n- [ ] Send it\n- [x] Write it\n")

    told = cli("plan", "mail.md").err

    assert "1 open task is left to people: marked `[ ]?`, or below a heading about veri" in told
    assert "No task to do in mail.md." in told


def test_a_plan_with_nothing_to_do_says_so(cli: Cli, project: Path) -> None:
    write_file(project / "empty.md", "")
    write_file(project / "stuck.md", "- [ ] a\n  - after: b\n- [~] b\n")

    assert "empty.md holds no task: write them as `- [ ] text`." in cli("plan", "empty.md").err
    assert "write `[ ]` for `[~]` in the plan (line 3)" in cli("plan", "stuck.md").err

    assert cli("plan", "empty.md", "--json").json["next"] is None
    assert (cli("plan", "empty.md").code, cli("plan", "empty.md").out) == (0, "")
    assert "1 task to do, and all of them wait" in cli("plan", "stuck.md").err


def test_a_plan_that_is_none_is_wrong_usage(cli: Cli, project: Path) -> None:
    write_file(project / "binary.md", b"\x7fELF\0\0")
    write_file(project / "latin.md", b"caf\xe9")

    for name in ("binary.md", "latin.md", "absent.md", "."):
        found = cli("plan", name)
        assert found.code == 2
        assert name in found.err


# prompt --plan


def test_the_implementation_prompt_is_about_the_next_task(cli: Cli, skills: Path) -> None:
    text = cli("prompt", "--plan", "PLAN.md").out

    assert text.count(TASK) == 1
    assert "line 7 of PLAN.md" in text
    assert "- every field is filled" in text
    assert "- src/*.{py,pyi}" in text
    assert "```bash\nmake test\n```" in text
    assert "<name>pdf-forms</name>" in text
    assert f"Reading: pdf-forms\nBase directory: {skills / 'pdf-forms'}" in text
    assert "Keep the fields." in text
    assert "Skill read: pdf-forms" in text
    assert "piano" not in text
    assert "SQL migrations" not in text.replace("Reviews SQL migrations for locks.", "")


def test_the_review_prompt_names_the_task_just_implemented_and_not_the_next(
    cli: Cli, skills: Path
) -> None:
    text = cli("prompt", "--plan", "PLAN.md", "--step", "review").out

    assert "## Task\n\nReviews of SQL migrations\n" in text
    assert "line 5 of PLAN.md" in text
    assert "- no locks" in text
    assert "Reading: sql-review" in text
    assert TASK not in text


@pytest.mark.parametrize("ignored", ["", "## Checklist\n- [x] Tell everybody\n"])
def test_of_several_tasks_that_await_review_the_last_was_just_implemented(
    cli: Cli, skills: Path, project: Path, ignored: str
) -> None:
    done = "- [R] Reviewed\n- [x] Sort the table\n- [x] Count the rows\n- [ ] Print it\n"
    write_file(project / "PLAN.md", done + ignored)

    text = cli("prompt", "--plan", "PLAN.md", "--step", "review").out

    assert "## Task\n\nCount the rows\n" in text


def test_a_task_may_be_named_by_its_line(cli: Cli, skills: Path) -> None:
    assert "Tune the piano" in cli("prompt", "--plan", "PLAN.md", "--task", "11").out
    assert cli("prompt", "--plan", "PLAN.md", "--task", "1").code == 2


def test_feedback_of_the_last_attempt_is_carried(cli: Cli, skills: Path, project: Path) -> None:
    write_file(project / "feedback.md", "One field was left empty.\n")

    text = cli("prompt", "--plan", "PLAN.md", "--feedback", "feedback.md").out

    assert "One field was left empty." in text
    assert cli("prompt", "--plan", "PLAN.md", "--feedback", "absent.md").code == 2


@pytest.mark.parametrize("step", ["implementation", "review"])
def test_with_skills_switched_off_the_prompt_is_the_plain_one(
    cli: Cli, skills: Path, project: Path, step: str
) -> None:
    write_file(project / "prowess.toml", "[skills]\nskills_enabled = false\n")

    text = cli("prompt", "--plan", "PLAN.md", "--step", step).out

    assert "PLAN.md" in text
    assert "available_skills" not in text
    assert "PDF" not in text
    assert cli("log", "--json", "--kind", "SKILLS_SELECTED").json == []


def test_with_skills_switched_off_a_task_that_is_named_is_the_one_of_the_prompt(
    cli: Cli, skills: Path, project: Path
) -> None:
    write_file(project / "prowess.toml", "[skills]\nskills_enabled = false\n")
    write_file(project / "prose.md", "# Only prose\n")

    text = cli("prompt", "--plan", "PLAN.md", "--task", "11").out
    absent = cli("prompt", "--plan", "PLAN.md", "--task", "999")

    assert "Tune the piano" in text
    assert "available_skills" not in text
    assert (absent.code, absent.out) == (2, "")
    assert "there is no task on line 999" in absent.err
    assert cli("prompt", "--plan", "prose.md", "--task", "1").code == 2


@pytest.mark.parametrize("content", [b"", b"# Only prose\n", b"caf\xe9 - [ ] x\n", b"\0\0"])
def test_a_plan_that_cannot_be_read_gives_the_plain_prompt(
    cli: Cli, skills: Path, project: Path, content: bytes
) -> None:
    write_file(project / "odd.md", content)

    found = cli("prompt", "--plan", "odd.md")

    assert found.code == 0
    assert "odd.md" in found.out
    assert "## Task" not in found.out


def test_a_plan_without_a_task_for_the_step_is_wrong_usage(
    cli: Cli, skills: Path, project: Path
) -> None:
    write_file(project / "done.md", "- [R] a\n")

    assert cli("prompt", "--plan", "done.md").code == 2
    assert cli("prompt", "--plan", "done.md", "--step", "review").code == 2
    assert cli("prompt", "--plan", "absent.md").code == 2
    assert cli("prompt", "--plan", "PLAN.md", "--load", "pdf-forms").code == 2


def test_a_skill_that_cannot_be_loaded_is_left_out_and_the_run_goes_on(
    cli: Cli, skills: Path, project: Path
) -> None:
    write_file(
        skills / "spoilt/SKILL.md",
        b"---\nname: spoilt\ndescription: Spoilt.\n---\n\n" + b"\xff" * 9,
    )
    write_file(project / "PLAN.md", f"- [ ] {TASK} @spoilt\n")

    found = cli("prompt", "--plan", "PLAN.md")

    assert found.code == 0
    assert "Reading: pdf-forms" in found.out
    failed = cli("log", "--json", "--kind", "SKILLS_LOAD_FAILED").json
    assert "spoilt" in {each["payload"]["name"] for each in failed}


def test_the_choice_is_in_the_log_with_exactly_the_fields_of_a_selection(
    cli: Cli, skills: Path
) -> None:
    cli("prompt", "--plan", "PLAN.md", "--step", "review")

    (event,) = cli("log", "--json", "--kind", "SKILLS_SELECTED").json
    payload = event["payload"]
    assert set(payload) == {"run_id", "step_kind", "task_label", "skills", "strategy", "errors"}
    assert payload["run_id"] == event["run"]
    assert payload["step_kind"] == "review"
    assert payload["task_label"] == "Reviews of SQL migrations"
    assert [set(each) for each in payload["skills"]] == 3 * [{"name", "reason"}]
    named = [each["name"] for each in payload["skills"]]
    assert named == ["safe-shell-search", "code-quality", "sql-review"]  # two of the registry's
    assert (payload["strategy"], payload["errors"]) == ("match", [])


def test_a_registry_that_cannot_be_read_is_refused_before_a_prompt_is_made(
    cli: Cli, skills: Path, project: Path
) -> None:
    write_file(project / "registry.yaml", "version: 1\ncommon: {}\n")
    toml = '[skills]\nskills_enabled = true\nskills_registry = "registry.yaml"\n'
    write_file(project / "prowess.toml", toml)

    refused = cli("prompt", "--plan", "PLAN.md")

    assert refused.code == 2
    assert "common is not a list of skill names" in refused.err
    assert refused.out == ""


def test_what_a_task_says_of_secrets_and_people_is_not_kept(cli: Cli, skills: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    task = f"Merge the PDF documents for bob.miller@example.org, with {token}"

    assert cli("match", task).code == 0
    write_file(Path("PLAN.md"), f"- [ ] {task}\n")
    assert token in cli("prompt", "--plan", "PLAN.md").out

    kept = cli("log", "--json").out
    assert kept.count("for [email], with [secret]") == 2
    assert token not in kept
    assert "bob.miller" not in kept


@pytest.mark.parametrize(("long", "least"), [("x" * 57, 10), ("x" * 190, 5), ("&" * 190, 2)])
def test_the_catalog_stays_small_however_many_skills_there_are(
    cli: Cli, skills: Path, long: str, least: int
) -> None:
    for n in range(300):
        name = f"pdf-{n:03}{long}"
        write_skill(
            skills, name, description=f"Fills in PDF forms {n}. " + "Merges <all> & more. " * 20
        )

    text = cli("prompt", "--plan", "PLAN.md").out

    start = text.index("## Skills that may fit")
    assert len(text[start : text.index("## Skills for this task")]) <= 4_000
    assert text.count("<skill>") >= least
    assert "<description></description>" not in text
    assert "prowess match" in text


def test_the_counters_follow_what_was_found_and_chosen(
    cli: Cli, skills: Path, project: Path
) -> None:
    write_file(skills / "broken/SKILL.md", "no header")
    write_file(
        project / "prowess.toml",
        "[skills]\nskills_enabled = true\nskills_max_body_chars = 20\n",
    )
    before = cli("log", "--counters", "--json").json

    cli("prompt", "--plan", "PLAN.md")
    cli("match", TASK)

    assert set(before.values()) == {0}
    after = cli("log", "--counters", "--json").json
    assert after["skills_discovered_total"] >= 3
    assert after["skills_selected_total"] == 3  # one is the registry's, for every phase
    assert after["skills_load_failed_total"] == 1
    assert after["skills_truncated_total"] == 2
    assert "skills_selected_total\t3" in cli("log", "--counters").out
