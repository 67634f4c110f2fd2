"""Archives as nobody honest writes them."""

import hashlib
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

LINK = stat.S_IFLNK | 0o777
PLAIN = stat.S_IFREG | 0o600


def archive(file: Path, **changes: Any) -> Path:
    """
    An archive with one honest file and one called `name`, of `content`, that the manifest calls
    `told_name`, with `told_bytes` bytes and the sum `told_sum`, and the zip file's own list with
    `claimed_bytes`.
    """
    name, content = changes.get("name", "runs/a"), changes.get("content", b"content")
    told = {
        "bytes": changes.get("told_bytes", len(content)),
        "sha256": changes.get("told_sum", hashlib.sha256(content).hexdigest()),
        "executable": False,
    }
    honest = {"bytes": 2, "sha256": hashlib.sha256(b"ok").hexdigest(), "executable": False}
    manifest = {
        "format": 1,
        "prowess": "0.1.0",
        "made": "2026-01-01T00:00:00Z",
        "files": {"runs/honest": honest, changes.get("told_name", name): told},
        "rows": changes.get("rows", {}),
        "folders": changes.get("folders", []),
        "left_out": {},
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("runs/honest", "ok")
        entry = zipfile.ZipInfo("x")
        entry.filename = name  # past the mending of names in ZipInfo itself
        entry.compress_type = changes.get("method", zipfile.ZIP_DEFLATED)
        entry.external_attr = changes.get("mode", PLAIN) << 16
        opened.writestr(entry, content)
        entry.file_size = changes.get("claimed_bytes", len(content))
        opened.writestr("manifest.json", changes.get("manifest", json.dumps(manifest)))
    return file


def rewritten(file: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """The same archive with another manifest."""
    new = file.with_suffix(".new")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(new, "w") as opened:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename == "manifest.json":
                manifest = json.loads(content)
                change(manifest)
                content = json.dumps(manifest).encode()
            opened.writestr(entry, content)
    return new
