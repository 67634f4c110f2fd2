"""AGENTS.md on disk: which one is meant, and how it is replaced without losing anything."""

import os
from dataclasses import dataclass

from prowess.core.errors import OutsideError, UsageError
from prowess.core.files import read_plain
from prowess.discover.roots import ladder
from prowess.prompt.agents_md import with_block, without_block

NAME = "AGENTS.md"


@dataclass(frozen=True, slots=True)
class AgentsFile:
    """The file a link leads to, if it is one; a project's own link may not lead out of the project."""

    path: str

    @classmethod
    def find(cls, project: str, named: str | None) -> "AgentsFile":
        """The file named by hand; else the nearest AGENTS.md up to the git root; else one at that root."""
        if named is not None:
            return cls(os.path.realpath(os.path.join(project, os.path.expanduser(named))))
        steps = ladder(project)
        candidates = [os.path.join(step, NAME) for step in steps]
        path = next((path for path in candidates if os.path.lexists(path)), candidates[-1])
        real, top = os.path.realpath(path), os.path.realpath(steps[-1])
        if os.path.commonpath([real, top]) != top:
            raise UsageError(
                f"{path} is a link that leads out of the project, to {real}",
                hint=f"if you mean that file, say so: --output {real}",
            )
        return cls(real)

    def put(self, block: str, *, dry: bool) -> bool:
        """Keep `block` in the file, none if it is empty. Returns whether that is a change; `dry` makes none."""
        before = self._text()
        try:
            after = with_block(before, block) if block else without_block(before)
        except UsageError as error:
            raise UsageError(f"{self.path}: {error}", hint=error.hint) from None
        if after != before and not dry:
            self._replace(after)
        return after != before

    def _text(self) -> str:
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise OutsideError(
                f"{self.path} cannot be read: {error.strerror}",
                hint="nothing was changed; see that it is yours to read",
            ) from error
        try:
            return read_plain(descriptor, self.path, os.fstat(descriptor)).decode("utf-8")
        except UnicodeDecodeError:
            raise UsageError(
                f"{self.path} is not UTF-8", hint="save it as UTF-8; nothing was changed"
            ) from None
        finally:
            os.close(descriptor)

    def _replace(self, text: str) -> None:
        """In one move, so that a reader, or a full disk, never meets half a file."""
        import tempfile

        folder = os.path.dirname(self.path)
        try:
            os.makedirs(folder, exist_ok=True)
            if os.path.exists(self.path) and not os.access(self.path, os.W_OK):
                raise PermissionError(13, "it may not be written")
            descriptor, name = tempfile.mkstemp(dir=folder, prefix=".sync-")
            try:
                with open(descriptor, "w", encoding="utf-8", newline="") as file:
                    file.write(text)
                os.chmod(name, self._mode())
                os.replace(name, self.path)
            except BaseException:
                os.unlink(name)
                raise
        except OSError as error:
            raise OutsideError(
                f"{self.path} cannot be written: {error.strerror}",
                hint="nothing was changed; see that the file and its folder are yours to write",
            ) from error

    def _mode(self) -> int:
        """That of the file in its place, else what a new file gets."""
        if os.path.exists(self.path):
            return os.stat(self.path).st_mode & 0o777
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
