"""What the OpenAPI says, tried by a program that tries everything: nothing may be our mistake."""

import json
import subprocess
import sys
from pathlib import Path

from house import skill_file
from prowess.model.scripted import final
from serve.served import Home

LOOK = ("--phases", "examples,coverage", "--no-color")
CHECKS = "not_a_server_error,unsupported_method,allow_header_conformance"


def test_no_request_that_fits_or_does_not_fit_the_schema_is_our_mistake(
    home: Path, project: Path, tmp_path: Path
) -> None:
    skill_file(project, "note", "Do it.")
    (project / "PLAN.md").write_text("- [ ] One\n")
    with Home(project, tmp_path / "data", {"*": [final("Done.")]}).serving() as served:
        served.ended(served.start("note"))

        tried = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"),
                "run",
                f"http://127.0.0.1:{served.port}/openapi.json",
                *LOOK,
                f"--checks={CHECKS}",
                "--exclude-path-regex=events$",  # streams end with their run
                "--generation-database=none",
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    assert tried.returncode == 0, tried.stdout + tried.stderr


def test_every_route_with_a_body_shows_an_example(
    home: Path, project: Path, tmp_path: Path
) -> None:
    with Home(project, tmp_path / "data").serving() as served:
        told = served.get("/openapi.json").json

    bodies = {
        name.rsplit("/", 1)[1]
        for path in told["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
        for name in [operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]]
    }
    schemas = told["components"]["schemas"]
    assert bodies
    assert [name for name in bodies if "example" not in schemas[name]] == []
    assert "422" not in json.dumps(told["paths"])
