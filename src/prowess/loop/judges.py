"""
Whose tests and settings judge: those of the last commit that a person is known to have made.

A task that is proven may still have planted something for the next one. So what came since is left out
for a second look, but for what the tasks done since were meant to change. A commit between two tasks
that is not the loop's own is a person's, and with it they have seen what is there.

A task that came into the plan while an agent was at work may be the agent's: it is done, and allows
nothing that judges to be changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from prowess.core.evidence import Spec, spec_of
from prowess.core.task import Task, key_of


@dataclass(slots=True, kw_only=True)
class Judges:
    """
    `commit` is the person's, `head` where the loop has left their branch since, `tasks` what it did.
    `added` are tasks of which nobody knows whose they are, by their words.
    """

    commit: str = ""
    head: str = ""
    tasks: list[Spec] = field(default_factory=list)
    added: set[str] = field(default_factory=set)

    def begin(self, head: str) -> None:
        """The branch is here, and a person has brought it there."""
        self.commit = self.head = head
        self.tasks.clear()

    def at(self, head: str) -> None:
        """Work begins on top of this commit."""
        if head != self.head:
            self.begin(head)

    def went_on(self, head: str, done: Sequence[Task]) -> None:
        """
        The branch is there after work of the loop's own, with these tasks done. Who else has committed
        to it meanwhile may have been an agent.
        """
        if self.head:  # of a loop that an older version began nobody knows where it was
            self.head = head
            self.tasks += [spec_of(task) for task in done if not self.is_added(task.label)]

    def add(self, labels: Sequence[str]) -> list[str]:
        """These came in while an agent was at work; those of them that nobody knew of."""
        new = [label for label in labels if not self.is_added(label)]
        self.added.update(map(key_of, new))
        return new

    def is_added(self, label: str) -> bool:
        return key_of(label) in self.added
