from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.page.stage import Stage

PAGE = Path(__file__).parents[2] / "src" / "holdfast" / "server" / "page" / "index.html"
HAS_PLAYWRIGHT = importlib.util.find_spec("playwright") is not None

# These modules import playwright at once.
collect_ignore_glob = [] if HAS_PLAYWRIGHT else ["stage.py", "test_page_*.py"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start the system's Chromium; without one, skip with what brings it."""
    if not HAS_PLAYWRIGHT:
        pytest.skip("playwright is not installed: `make test-page` installs it")
    from playwright.sync_api import sync_playwright

    from tests.page.stage import find_chromium

    chromium = find_chromium()
    if chromium is None:
        pytest.skip(
            "chromium is not installed: `make test-page` installs it, or apt-get install chromium-headless-shell"
        )
    if not PAGE.exists():
        pytest.skip("the page is not built: `make page` builds it")
    # Not for the session: its event loop would run in the thread of all other tests.
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Any) -> Iterator[Stage]:
    from tests.page.stage import Script, Stage, model_server, project
    from tests.server.harness import RunningServer

    script = Script()
    with project(tmp_path) as (root, environment), model_server(script) as model:
        for name, value in {**environment, "HOLDFAST_BASE_URL": model.base_url}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("HOLDFAST_DATABASE_URL", raising=False)
        server = RunningServer([root])
        made = Stage(root, script, model, server, browser)
        try:
            yield made
        finally:
            made.close()
            server.stop()
        assert made.faults == []
