"""
The file of a tool on disk: read whole, replaced in one move, never outside the project.
"""

import os
import tempfile
from dataclasses import dataclass

from prowess.core.errors import OutsideError, RefusedError, UsageError
from prowess.core.files import read_plain


@dataclass(frozen=True, slots=True)
class Place:
    """`relative` in `project`. A link that leads out of the project is refused."""

    project: str
    relative: str

    @property
    def path(self) -> str:
        return os.path.join(self.project, self.relative)

    def read(self) -> str | None:
        """The text with its line ends as they are; None when there is no such file."""
        real = self._inside()
        try:
            descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._outside("read", error) from error
        try:
            return read_plain(descriptor, self.relative, os.fstat(descriptor)).decode("utf-8")
        except UnicodeDecodeError:
            raise UsageError(
                f"{self.path} is not UTF-8", hint="save it as UTF-8; nothing was changed"
            ) from None
        finally:
            os.close(descriptor)

    def write(self, text: str | None) -> None:
        """None takes the file away, and its folder when that is empty then."""
        real = self._inside()
        try:
            if text is None:
                os.unlink(real)
                self._tidy(os.path.dirname(real))
            else:
                self._replace(real, text)
        except OSError as error:
            raise self._outside("written", error) from error

    def _replace(self, real: str, text: str) -> None:
        folder = os.path.dirname(real)
        os.makedirs(folder, exist_ok=True)
        mode = os.stat(real).st_mode & 0o777 if os.path.exists(real) else 0o644
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=".prowess-")
        try:
            with open(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            os.chmod(name, mode)
            os.replace(name, real)
        except BaseException:
            os.unlink(name)
            raise

    def _tidy(self, folder: str) -> None:
        if folder != os.path.realpath(self.project) and not os.listdir(folder):
            os.rmdir(folder)

    def _inside(self) -> str:
        real, top = os.path.realpath(self.path), os.path.realpath(self.project)
        if os.path.commonpath([real, top]) != top:
            raise RefusedError(
                f"{self.path} is a link that leads out of the project, to {real}",
                hint="nothing was changed; edit that file by hand",
            )
        return real

    def _outside(self, what: str, error: OSError) -> OutsideError:
        return OutsideError(
            f"{self.path} cannot be {what}: {error.strerror}",
            hint="nothing was changed; see that the file and its folder are yours to write",
        )
