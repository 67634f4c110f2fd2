"""
What can go wrong, sorted by who can mend it.

A person's mistake is an error with a hint. A mistake inside a skill is a `Problem`
in the catalog, so that one bad folder never hides the good ones. Only the outermost
layer turns these into exit codes, HTTP or MCP codes.
"""


class ProwessError(Exception):
    """Says what is wrong and, in `hint`, what to do next."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(ProwessError):
    """The person asked for something that does not exist or does not make sense."""


class ChangesError(UsageError):
    """A work tree holds changes that are not committed, and nobody can say whose they are."""


class SettingsError(UsageError):
    """A value in prowess.toml, the environment or a flag is not one we can use."""


class UnknownSkillError(UsageError):
    """No skill has this name. The answer is no, rather than the question being wrong."""


class SkillError(ProwessError):
    """A file of a skill cannot be used; `line` is where, counted from 1, when it is known."""

    def __init__(self, message: str, *, hint: str = "", line: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.line = line


class RefusedError(ProwessError):
    """A read that would leave the skill's folder, or that is not a plain file."""


class OutsideError(ProwessError):
    """Something beyond Prowess failed: a disk, a database, a network."""


class StoreError(OutsideError):
    """Where Prowess keeps its runs cannot be used. A run that meets it stops there and may go on later."""


class StaysError(StoreError):
    """Where a run was at work something is in its way; it stays as it is, and goes on when that is gone."""


class ModelError(OutsideError):
    """A model did not answer. `transient`: the same request may succeed later, after `retry_after` seconds."""

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        transient: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.transient = transient
        self.retry_after = retry_after


class InDoubtError(ProwessError):
    """A step may or may not have been done when its process died, and it must not be done twice."""


class CutShortError(InDoubtError):
    """Such a step was ended in the middle, by us, because its run was told to stop."""


class CancelledRunError(ProwessError):
    """Somebody stopped the run."""


class WaitingRunError(ProwessError):
    """The run waits for somebody's answer, and nobody is here to give it."""


class NotOnBoardError(UsageError):
    """No task, session or handoff is called so. The answer is no, rather than the question being wrong."""


class ConflictError(ProwessError):
    """The change does not apply as things stand; somebody else may have been faster."""


class UnknownRunError(UsageError):
    """No run has this id."""


class ContextTooLongError(ModelError):
    """The conversation does not fit the model; with less in it, it may."""


# How each kind of error is told: a command's exit code, an HTTP status, and a word that programs
# know. The first that fits counts.
TOLD_AS: tuple[tuple[type[ProwessError], int, int, str], ...] = (
    (UnknownSkillError, 1, 404, "NOT_FOUND"),
    (UnknownRunError, 1, 404, "NOT_FOUND"),
    (NotOnBoardError, 1, 404, "NOT_FOUND"),
    (ConflictError, 1, 409, "CONFLICT"),
    (WaitingRunError, 4, 409, "WAITING"),
    (CancelledRunError, 1, 409, "CANCELLED"),
    (InDoubtError, 1, 409, "IN_DOUBT"),
    (UsageError, 2, 400, "VALIDATION_ERROR"),
    (StaysError, 2, 409, "CONFLICT"),
    (SkillError, 1, 422, "SKILL_ERROR"),
    (RefusedError, 1, 403, "REFUSED"),
    (OutsideError, 3, 503, "OUTSIDE_ERROR"),
)
