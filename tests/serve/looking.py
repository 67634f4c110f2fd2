"""A person before the dashboard, and runs that were told without being run."""

import re
from dataclasses import dataclass, field

from playwright.sync_api import ConsoleMessage, Page

from prowess.core.event import Event
from serve.served import Served

NASTY = "<img src=x onerror=\"document.title='taken'\">"


@dataclass
class Looking:
    """A person before the page. Whatever the browser complains about fails the test at its end."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)
    expected: str = "(?!)"  # a complaint that the test means to cause

    def at(self, place: str) -> Page:
        self.page.goto("about:blank")  # or only the hash would change, and the old page be seen
        self.page.goto(f"{self.address}/#/{place}")
        self.page.locator("main:not([aria-busy]) h1").wait_for()
        return self.page

    def heard(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def left(self) -> list[str]:
        return [each for each in self.complaints if not re.search(self.expected, each)]


def tell(served: Served, run: str, kind: str, **facts: object) -> None:
    payload = {"summary": kind, "visibility": "SUMMARY", **facts}
    served.site.log.append(Event(run=run, kind=kind, payload=payload))
