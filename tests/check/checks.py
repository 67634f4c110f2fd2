"""A task checked in a real repository, said in one line."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from check.repository import Repository
from prowess.core.evidence import Claim, Evidence, Report, Ruling, Spec
from prowess.core.ports import Sandbox
from prowess.core.process import Limits, Order
from prowess.engine.checking import Checker
from prowess.engine.work import Asked

# Plugins of this machine take their time and have no part in it.
PYTEST = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest -q -p no:cacheprovider"


def check(
    repo: Repository,
    sandbox: Sandbox,
    *criteria: str,
    claims: Sequence[Claim] = (),
    files: Sequence[str] = (),
    isolated: bool = True,
    seconds: float = 60,
    **asked: Any,
) -> Report:
    spec = Spec(id="T1", title="The task", criteria=criteria, files=tuple(files))
    checker = Checker(sandbox=sandbox, isolated=isolated, limits=Limits(seconds=seconds))
    request = Asked(spec=spec, workspace=str(repo.folder), claims=tuple(claims), **asked)
    return asyncio.run(checker.check(request))


def needs_cargo(repo: Repository, sandbox: Sandbox) -> None:
    place = str(repo.folder)
    order = Order(argv=("sh", "-c", "cargo --version"), cwd=place, readable=[place])
    if asyncio.run(sandbox.run(order)).code:
        pytest.skip("no cargo is shown to commands: there is none, or none in this home folder")


def claim(criterion: str, *evidence: Evidence, verdict: Ruling = "PASS", reason: str = "") -> Claim:
    return Claim(criterion=criterion, verdict=verdict, evidence=evidence, reason=reason)


def inspected(location: str, description: str, confidence: float = 1.0) -> Evidence:
    return Evidence(
        type="file_inspection", description=description, location=location, confidence=confidence
    )


def output(command: str, description: str = "Exit code 0") -> Evidence:
    return Evidence(type="command_output", description=description, location=command)


def ran(command: str, description: str = "all pass") -> Evidence:
    return Evidence(type="test_result", description=description, location=command)


def exists(path: str, description: str = "present") -> Evidence:
    return Evidence(type="file_existence", description=description, location=path)


def verdicts(report: Report) -> list[str]:
    return [each.verdict for each in report.criteria]


def held(report: Report) -> bool:
    """Whether all that was looked at was seen to hold, whether or not it shows anything of the task."""
    return report.outcome != "failed" and set(verdicts(report)) == {"PASS"}
