"""
Every setting there is: where it stands in prowess.toml, what it may be, and what holds without it.

A field's name is its table and its key, `permissions_default` for `default` in `[permissions]`; in
`[skills]` the keys carry the prefix themselves, as the loop orchestrator named them. `database_url`
stands above all tables.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from prowess.discover.roots import DEFAULT_DIRS
from prowess.settings.kinds import (
    AS_WRITTEN,
    DATABASE,
    DURATION,
    FOLDERS,
    MODEL,
    PATH,
    RULES,
    TABLE,
    TEXT,
    TEXTS,
    TOKENS,
    WORDS,
    YES_NO,
    Kind,
    choice,
    whole,
)

FILE = "prowess.toml"
PACK = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "pack")
HOME_DATA = "~/.local/share/prowess"
_CHARS = whole(1, 10_000_000)


def _setting(
    place: str, kind: Kind, default: Any, *, own: bool = False, lower: bool = False
) -> Any:
    """
    A project may be somebody else's. `own`: its file may not set this, only your own file may.
    `lower`: its file may set less than what holds without it, and not more.
    """
    metadata = {"place": tuple(place.split(".")), "kind": kind, "own": own, "lower": lower}
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What holds for one command or one server. `project`, `data` and `only_dirs` are flags."""

    project: str = "."
    data: str = HOME_DATA

    database_url: str = _setting("database_url", DATABASE, "", own=True)  # empty: files in `data`

    skills_enabled: bool = _setting("skills.skills_enabled", YES_NO, default=False)
    skills_builtin_dir: str = _setting("skills.skills_builtin_dir", PATH, PACK)
    skills_sync_dir: str = _setting("skills.skills_sync_dir", PATH, f"{HOME_DATA}/skills")
    skills_sync_on_start: bool = _setting("skills.skills_sync_on_start", YES_NO, default=True)
    skills_dirs: tuple[str, ...] = _setting("skills.skills_dirs", FOLDERS, DEFAULT_DIRS)
    skills_max_selected_impl: int = _setting("skills.skills_max_selected_impl", whole(0, 255), 2)
    skills_max_selected_review: int = _setting(
        "skills.skills_max_selected_review", whole(0, 255), 1
    )
    skills_load_references: bool = _setting("skills.skills_load_references", YES_NO, default=False)
    skills_max_body_chars: int = _setting("skills.skills_max_body_chars", _CHARS, 20_000)
    skills_max_catalog_chars: int = _setting(
        "skills.skills_max_catalog_chars", whole(0, 10_000_000), 0
    )
    skills_semantic: bool = _setting("skills.skills_semantic", YES_NO, default=False)
    skills_registry: str = _setting(
        "skills.skills_registry", PATH, os.path.join(PACK, "registry.yaml")
    )

    model_default: str = _setting("model.default", MODEL, "")  # empty: the first that can be had
    model_aliases: Mapping[str, str] = _setting("model.aliases", TEXTS, {}, own=True)

    run_max_iterations: int = _setting("run.max_iterations", whole(1, 1000), 15, lower=True)
    run_max_retries_per_tool: int = _setting(
        "run.max_retries_per_tool", whole(0, 100), 3, lower=True
    )
    run_timeout_per_iteration: float = _setting(
        "run.timeout_per_iteration", DURATION, 300.0, lower=True
    )
    run_max_depth: int = _setting("run.max_depth", whole(0, 5), 2, lower=True)

    permissions_default: str = _setting(
        "permissions.default", choice("sandbox", "ask", "read-only"), "sandbox", own=True
    )
    permissions_never: tuple[str, ...] = _setting("permissions.never", RULES, (), own=True)

    sandbox_level: str = _setting(
        "sandbox.level", choice("auto", "bubblewrap", "landlock", "none"), "auto", own=True
    )
    sandbox_network: bool = _setting("sandbox.network", YES_NO, default=False, own=True)
    sandbox_seconds: float = _setting("sandbox.seconds", DURATION, 120.0, lower=True)
    sandbox_memory_mb: int = _setting("sandbox.memory_mb", whole(16, 1_000_000), 2048, lower=True)
    sandbox_processes: int = _setting("sandbox.processes", whole(1, 100_000), 256, lower=True)
    sandbox_file_mb: int = _setting("sandbox.file_mb", whole(1, 1_000_000), 1024, lower=True)

    privacy_personal_data: str = _setting(
        "privacy.personal_data", choice("remove", "keep"), "remove", own=True
    )
    visibility: Mapping[str, Any] = _setting("visibility", TABLE, {}, own=True)
    mcp_servers: Mapping[str, Any] = _setting("mcp_servers", TABLE, {}, own=True)

    limits: Mapping[str, Any] = _setting("limits", TABLE, {}, own=True)
    worker_at_once: int = _setting("worker.at_once", whole(1, 10_000), 8, own=True)

    check_use_layered_skills: object = _setting("check.use_layered_skills", AS_WRITTEN, None)

    serve_host: str = _setting("serve.host", TEXT, "127.0.0.1", own=True)
    serve_port: int = _setting("serve.port", whole(0, 65_535), 7700)  # 0: any that is free
    serve_hosts: tuple[str, ...] = _setting("serve.hosts", WORDS, (), own=True)  # other names of it
    serve_works: bool = _setting("serve.works", YES_NO, default=True)  # on runs of the queue
    serve_tokens: Mapping[str, str] = _setting("serve.tokens", TOKENS, {}, own=True)

    only_dirs: tuple[str, ...] = ()  # --dir: these and nothing else
    sources: tuple[str, ...] = field(default=(), compare=False)  # the files that were read

    @property
    def index_folder(self) -> str:
        return os.path.join(self.data, "index")

    @property
    def log_place(self) -> str:
        """Where the event log and the board are: a file, or the URL of a PostgreSQL database."""
        return self.database_url or self.log_file

    @property
    def log_file(self) -> str:
        return os.path.join(self.data, "log.sqlite3")

    @property
    def engine_place(self) -> str:
        """Where runs and their queue are: a file, or the URL of a PostgreSQL database."""
        return self.database_url or self.engine_file

    @property
    def engine_file(self) -> str:
        """What runs need to go on after a crash, word for word; for their owner's eyes only."""
        return os.path.join(self.data, "engine.sqlite3")

    def run_folder(self, run: str) -> str:
        """Where one run keeps what is too long to show."""
        return os.path.join(self.data, "runs", run)


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    place: tuple[str, ...]
    kind: Kind
    own: bool
    lower: bool


FIELDS: Mapping[str, Field] = {
    each.name: Field(each.name, **each.metadata) for each in fields(Settings) if each.metadata
}
BY_PLACE: Mapping[tuple[str, ...], Field] = {each.place: each for each in FIELDS.values()}
TABLES: tuple[str, ...] = tuple(
    dict.fromkeys(place[0] for place, each in BY_PLACE.items() if place[1:] or each.kind is TABLE)
)
