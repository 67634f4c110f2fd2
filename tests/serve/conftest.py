"""A real browser, and somebody who looks at the page that a test serves."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from installed import missing
from serve.looking import Looking
from serve.served import Served

ARGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync"
).split()
PATIENCE = 60_000  # milliseconds; a page answers long before, a busy machine may not


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        missing("Chromium is not installed: `apt install chromium`")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield opened
        opened.close()


@pytest.fixture
def looking(served: Served, browser: Browser) -> Iterator[Looking]:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    person = Looking(context.new_page(), f"http://127.0.0.1:{served.port}")
    person.page.on("console", person.heard)
    person.page.on("pageerror", lambda error: person.complaints.append(str(error)))
    yield person
    context.close()

    assert not person.left()
