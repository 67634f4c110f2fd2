"""Skills for the benches: as awkward as public ones are, and the same on every machine."""

import os
import random
from collections.abc import Sequence

GENERATION = 1  # another number for other skills, so that kept ones are not mistaken for them
_VERBS = (
    "audit build check clean compare convert debug deploy design document draft export"
    " fix import inspect merge migrate monitor plan profile review split summarize test translate"
).split()
_THINGS = (
    "api-clients backups changelogs charts config-files contracts cron-jobs csv-tables"
    " dashboards database-schemas dockerfiles email-drafts forms helm-charts invoices log-files"
    " meeting-notes pdf-reports pull-requests queries release-notes slides spreadsheets test-suites workflows"
).split()
_FIELDS = (
    "accounting analytics backend billing compliance data design education finance frontend"
    " health legal logistics marketing mobile operations research retail security support"
).split()
_WORDS = (
    "a the each every one output input file table record line value step result report draft source"
    " target owner reviewer project version branch field schema check error warning limit range total"
    " before after while until when unless with without from into against between first last next"
    " read write compare keep drop collect confirm explain repeat measure prefer avoid list name mark"
    " short exact stable missing known empty valid current previous final large small safe clear"
).split()
_TOOLS = "Bash Edit Glob Grep Read Task WebFetch WebSearch Write".split()
_LICENSES = ("MIT", "Apache-2.0", "BSD-3-Clause", "CC-BY-4.0")
# As counted in public skills: a list in the header, a dash that is not ASCII in the header, the
# same in the body. Each is slower to read than its absence, for us more than for anyone.
_LISTS, _HEADER_DASHES, _BODY_DASHES = 0.35, 0.35, 0.64


def make_skills(folder: str, count: int) -> None:
    sentences = _sentences()
    for number in range(count):
        name, files = make_skill(number, sentences)
        for path, text in files.items():
            place = os.path.join(folder, name, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)


def make_skill(number: int, sentences: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The name of skill `number` and its files by path; the same for every count and machine."""
    dice = random.Random(f"skill {number}")
    again, place = divmod(number, len(_VERBS) * len(_THINGS) * len(_FIELDS))
    # A step that shares no factor with the number of names visits each of them once.
    place = place * 7919 % (len(_VERBS) * len(_THINGS) * len(_FIELDS))
    rest, field = divmod(place, len(_FIELDS))
    thing, verb = divmod(rest, len(_VERBS))
    words = (_VERBS[verb], _THINGS[thing], _FIELDS[field])
    name = "-".join(words) + (f"-{again + 1}" if again else "")
    header = _header(dice, name, words, sentences)
    title = name.replace("-", " ").capitalize()
    files = {
        "SKILL.md": f"---\n{header}---\n{_body(dice, title, dice.randint(100, 300), sentences)}"
    }
    if dice.random() < 0.30:
        for part in range(dice.randint(1, 3)):
            text = _body(dice, f"Reference {part + 1}", dice.randint(40, 120), sentences)
            files[f"references/part-{part + 1}.md"] = text
    if dice.random() < 0.25:
        for part in range(dice.randint(1, 2)):
            files[f"scripts/step_{part + 1}.py"] = _script(dice)
    return name, files


def _sentences() -> list[str]:
    """A stock to choose from; making each anew would take most of the time."""
    dice = random.Random("sentences")
    stock = []
    for _ in range(3_000):
        words = dice.choices(_WORDS, k=dice.randint(6, 14))
        if dice.random() < 0.3:
            words[len(words) // 2] += ","
        stock.append(" ".join(words).capitalize() + ".")
    return stock


def _header(
    dice: random.Random, name: str, words: tuple[str, str, str], sentences: Sequence[str]
) -> str:
    """300 to 900 bytes of frontmatter, of a kind that the strictest peer accepts."""
    verb, thing, field = words
    rest = []
    if dice.random() < 0.6:
        rest.append(f"license: {dice.choice(_LICENSES)}")
    if dice.random() < 0.3:
        rest.append(f"compatibility: Needs Python 3.{dice.randint(9, 14)} and git")
    if dice.random() < 0.5:
        rest.append("allowed-tools: " + " ".join(dice.sample(_TOOLS, dice.randint(1, 4))))
    if dice.random() < _LISTS:
        rest += ["tags:", *(f"  - {tag}" for tag in words[: dice.randint(1, 3)])]
    if dice.random() < 0.7:
        rest.append("metadata:")
        rest.append(f"  author: {field}-team")
        rest.append(f'  version: "{dice.randint(0, 4)}.{dice.randint(0, 20)}"')
        if dice.random() < 0.5:
            rest.append(f"  category: {field}")
    things = thing.replace("-", " ")
    description = (
        f"{verb.capitalize()} {things} for {field}. "
        f"Use when someone asks to {verb} {things} or speaks of {dice.choice(_WORDS)} {things}."
    )
    size = dice.randint(300, 850) - len("\n".join(rest)) - len(name)
    while len(description) < size:
        description += " " + dice.choice(sentences)
    if len(description) > max(size, 150):
        description = description[: max(size, 150)].rsplit(" ", 1)[0].rstrip(",.") + "."
    if dice.random() < _HEADER_DASHES:
        description = description.replace(". ", " — ", 1)
    return "\n".join([f"name: {name}", *_described(dice, description), *rest]) + "\n"


def _described(dice: random.Random, description: str) -> list[str]:
    """The field in one of the ways people write it: plain, quoted, or folded over several lines."""
    way = dice.random()
    if way < 0.4:
        return [f"description: {description}"]
    if way < 0.75:
        return [f'description: "{description.replace("Use when", "Use this skill when:", 1)}"']
    if way < 0.8:
        return [f"description: '{description}'"]
    lines, line = [], " "
    for word in description.split():
        if len(line) + len(word) > 88:
            lines.append(line)
            line = " "
        line += f" {word}"
    return [f"description: {dice.choice(('>', '>-'))}", *lines, line]


def _body(dice: random.Random, title: str, length: int, sentences: Sequence[str]) -> str:
    """`length` lines of Markdown: steps, lists, tables, code and prose."""
    lines = ["", f"# {title}", "", dice.choice(sentences), ""]
    while len(lines) < length:
        lines += [f"## {dice.choice(sentences)[:-1]}", "", *_section(dice, sentences), ""]
        if dice.random() < 0.012:
            lines += ["---", ""]
    text = "\n".join(lines[:length]) + "\n"
    if dice.random() < _BODY_DASHES:
        text = text.replace(", ", " — ", dice.randint(1, 12))
    return text


def _section(dice: random.Random, sentences: Sequence[str]) -> list[str]:
    chosen = dice.choices(sentences, k=dice.randint(3, 9))
    match dice.choice(("steps", "list", "table", "code", "prose")):
        case "steps":
            return [f"{number}. {each}" for number, each in enumerate(chosen, 1)]
        case "list":
            return [f"- **{dice.choice(_WORDS)}**: {each}" for each in chosen]
        case "table":
            rows = [f"| {dice.choice(_WORDS)} | {each} |" for each in chosen]
            return ["| what | how |", "|---|---|", *rows]
        case "code":
            calls = [f"    {dice.choice(_WORDS)}_{at} = load({at})" for at in range(len(chosen))]
            return ["```python", "def run(load):", *calls, "```"]
        case _:
            return [" ".join(chosen[at : at + 2]) for at in range(0, len(chosen), 2)]


def _script(dice: random.Random) -> str:
    steps = [
        f"def step_{at}(value):\n    return value + {at}\n\n" for at in range(dice.randint(3, 12))
    ]
    return "import sys\n\n\n" + "\n".join(steps) + "\nprint(step_0(len(sys.argv)))\n"
