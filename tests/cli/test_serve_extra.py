"""`prowess serve` where its extra is not installed."""

import subprocess
import sys
from pathlib import Path


def test_the_extra_that_the_server_needs_is_named_as_the_readme_does(
    home: Path, project: Path
) -> None:
    script = (
        "import sys; sys.modules['fastapi'] = None; sys.argv = ['prowess', 'serve', '--port', '0'];"
        "from prowess.cli.app import main; main()"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=project, capture_output=True, text=True, check=False
    )

    assert done.returncode == 3
    assert "'.[serve]' in a checkout" in done.stderr
    assert "'.[serve]'" in (Path(__file__).parents[2] / "README.md").read_text()
