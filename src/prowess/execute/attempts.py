"""
What was tried and failed, so that it is not tried for ever.

A call is the same when tool and input are the same; with another input it is another approach.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from prowess.core.chat import Call, Observation
from prowess.core.text import clean_beginning, shortened

_SHOWN = 160  # characters of an input, and of an error, in the list of failures


@dataclass
class Failure:
    approach: str
    error: str
    times: int = 0


@dataclass
class Attempts:
    """
    `most`: how often one and the same call may fail before it is no longer made. `clean` takes out of
    a text what may not be kept, before it is cut.
    """

    most: int
    clean: Callable[[str], str] = lambda text: text
    failed: dict[str, Failure] = field(default_factory=dict)
    _failing_tools: set[str] = field(default_factory=set)

    def spent(self, call: Call) -> str:
        """Why this very call is not made again, or an empty string."""
        failure = self.failed.get(approach(call))
        if failure is None or failure.times < max(1, self.most):
            return ""
        times = "once" if failure.times == 1 else f"{failure.times} times"
        return (
            f"Not run: this very call has failed {times}. Last error: {failure.error} "
            "Try another input, another tool or another way."
        )

    def note(self, call: Call, seen: Observation) -> str:
        """Remember how it went; says how a failure was overcome when this call overcame one."""
        if seen.refused:
            return ""
        key = approach(call)
        if not seen.ok:
            failure = self.failed.pop(key, None) or Failure(self._short(key), "")
            failure.times += 1
            failure.error = self._short(seen.text)
            self.failed[key] = failure  # the newest stands last
            self._failing_tools.add(call.tool)
            return ""
        if seen.healed:
            return "; ".join(seen.healed)
        if self.failed.pop(key, None):
            self._failing_tools.discard(call.tool)
            return "another try"
        if call.tool in self._failing_tools:
            self._failing_tools.discard(call.tool)
            return f"another approach with {call.tool}"
        return ""

    def failures(self) -> list[str]:
        """One line for each approach that failed, in the order they last did."""
        return [
            f"{each.approach} ({each.times} of {max(1, self.most)}): {each.error}"
            for each in self.failed.values()
        ]

    def _short(self, text: str) -> str:
        if len(text) > _SHOWN:
            text = clean_beginning(text, 4 * _SHOWN, self.clean)
        return shortened(" ".join(text.split()), _SHOWN)


def approach(call: Call) -> str:
    """The same for two calls that are the same."""
    told = json.dumps(dict(call.input), sort_keys=True, ensure_ascii=False, default=str)
    return f"{call.tool} {told}"
