"""Two servers on one PostgreSQL: a page of each follows one turn, and either can answer its question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from holdfast.testing import call, say, slow
from tests.adapters.store.postgres import CannotStart, running_postgres
from tests.page.stage import PATIENCE, Gate, Script, model_server, project, screenshot, send
from tests.page.test_page_dying import TOKEN, serve
from tests.samples import only_whole

pytestmark = pytest.mark.slow


@only_whole
def test_two_servers_on_one_postgresql_show_one_turn_as_it_happens(
    tmp_path: Path, browser: Any
) -> None:
    script, gate = Script(), Gate()
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    try:
        with running_postgres() as postgres, postgres.database() as url:
            _follow_one_turn(tmp_path, browser, script, gate, url)
    except CannotStart as error:
        pytest.skip(str(error))


def _follow_one_turn(tmp_path: Path, browser: Any, script: Script, gate: Gate, url: str) -> None:
    with project(tmp_path) as (root, settings), model_server(script) as model:
        environment = {
            **settings,
            "HOLDFAST_BASE_URL": model.base_url,
            "HOLDFAST_DATABASE_URL": url,
        }
        servers, tabs = [], []
        try:
            for _ in range(2):
                server, port = serve(root, environment, tmp_path / "token", 0)
                servers.append(server)
                context = browser.new_context()
                context.set_default_timeout(PATIENCE)
                tab = context.new_page()
                tab.goto(f"http://127.0.0.1:{port}/?token={TOKEN}")
                expect(tab.locator(".sidebar")).to_be_visible()
                tabs.append(tab)

            one, other = tabs
            one.keyboard.press("n")
            one.get_by_role("button", name="Begin").click()
            script.add(
                call("run_command", command="touch made.txt"),
                slow(say("Half of it is here, and then the rest."), gate.event),
            )
            send(one, "Make a file")

            # The other server learns of the session, of its question and of its text by the store.
            other.get_by_text("Make a file").first.click()
            expect(other.locator(".approval")).to_contain_text("touch made.txt")
            other.locator(".approval").get_by_role("button", name="Allow once").click()
            expect(one.locator(".markdown")).to_contain_text("Half")
            expect(other.locator(".markdown")).to_contain_text("Half")
            expect(one.locator(".state")).to_have_text("Running")
            gate.open()
            for tab in tabs:
                expect(tab.locator(".markdown")).to_have_text(
                    "Half of it is here, and then the rest."
                )
                expect(tab.locator(".state")).to_have_text("Done")
                expect(tab.locator(".prompt")).to_have_count(1)
            screenshot(other, "two-servers")
            assert (root / "made.txt").exists()
        finally:
            gate.open()
            for server in servers:
                server.kill()
                server.wait()
