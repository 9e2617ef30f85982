"""A project, a scripted model and agent, a real server and a real browser, for the tests of the page."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from holdfast.testing import Reply, ScriptedAgent, ScriptedServer, say
from tests.server.harness import TOKEN, RunningServer

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / ".screenshots"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE = 60_000
"""How long a test waits for something to appear, in milliseconds: only a hang takes so long."""
GIT = ["git", "-c", "user.name=T", "-c", "user.email=t@example.invalid"]
SOURCE = "".join(f"line_{number} = {number}\n" for number in range(1, 41))

expect.set_options(timeout=PATIENCE)


class Script:
    """What the model answers, one reply for each request; a test adds replies as it goes on."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []

    def __call__(self, _request: object) -> Reply:
        return self.replies.pop(0) if self.replies else say("Nothing more to do.")

    def add(self, *replies: Reply) -> None:
        self.replies.extend(replies)


class Stage:
    """All of it together."""

    def __init__(
        self,
        root: Path,
        script: Script,
        model: ScriptedServer,
        server: RunningServer,
        browser: Browser,
    ) -> None:
        self.root, self.script, self.model = root, script, model
        self.server, self.browser = server, browser
        self.faults: list[str] = []
        self._contexts: list[BrowserContext] = []

    @property
    def address(self) -> str:
        return f"{self.server.url}/?token={TOKEN}"

    def context(self, **options: Any) -> BrowserContext:
        """Return a new profile of the browser, as another person's browser is."""
        settings: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}, **options}
        made = self.browser.new_context(**settings)
        made.set_default_timeout(PATIENCE)
        self._contexts.append(made)
        return made

    def open(self, path: str = "", context: BrowserContext | None = None, **options: Any) -> Page:
        """Open a tab of the page, signed in."""
        tab = (context or self.context(**options)).new_page()
        tab.on("pageerror", lambda error: self.faults.append(str(error)))
        tab.goto(self.address)
        expect(tab.locator(".sidebar")).to_be_attached()
        if path:
            self.go(tab, path)
        return tab

    def go(self, tab: Page, path: str) -> None:
        tab.evaluate("path => { location.hash = path }", f"/p/{self.server.project}{path}")

    def open_session(self, session: str, tab_name: str = "", **options: Any) -> Page:
        tail = f"/{tab_name}" if tab_name else ""
        return self.open(f"/s/{session}{tail}", **options)

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@contextmanager
def project(tmp_path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Make a git repository with a few files, and the settings beside it."""
    root = tmp_path / "orchard"
    root.mkdir()
    (root / "a.py").write_text(SOURCE)
    (root / "b.py").write_text("def greet(name):\n    return 'Hello, ' + name\n")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run([*GIT, *words], cwd=root, check=True)
    settings = tmp_path / "config.toml"
    command = json.dumps(list(ScriptedAgent().command))
    settings.write_text(f'[agents.scripted]\ncommand = {command}\nsandbox = "off"\n')
    yield (
        root,
        {
            "HOLDFAST_STATE_DIR": str(tmp_path / "state"),
            "HOLDFAST_CONFIG_FILE": str(settings),
            "HOLDFAST_MODEL": "scripted",
        },
    )


def send(tab: Page, text: str) -> None:
    """Write a message and send it with the keyboard."""
    tab.locator("#composer").fill(text)
    tab.locator("#composer").press("Enter")


def check_axe(tab: Page) -> None:
    """Assert that axe finds nothing to complain about."""
    tab.evaluate(AXE.read_text(encoding="utf-8") + "; void 0")
    found = tab.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    told = [
        f"{each['id']}: {each['help']} {[node['html'][:160] for node in each['nodes'][:3]]}"
        for each in found["violations"]
    ]
    assert told == [], "\n".join(told)


def screenshot(tab: Page, name: str) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    tab.screenshot(path=str(SCREENSHOTS / f"{name}.png"))


def find_chromium() -> str | None:
    """Find a Chromium; the one without windows needs a third of the processor for each tab."""
    import shutil

    named = os.environ.get("CHROMIUM")
    if named:
        return named
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    return next(filter(None, map(shutil.which, names)), None)


class Gate:
    """Holds replies of the model back until a test opens it."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def open(self) -> None:
        self.event.set()


def model_server(script: Callable[[Any], Reply]) -> ScriptedServer:
    return ScriptedServer(script, model="scripted", context=32_768)


__all__ = [
    "Error",
    "Gate",
    "Script",
    "Stage",
    "check_axe",
    "model_server",
    "project",
    "screenshot",
    "send",
]
