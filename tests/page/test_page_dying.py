"""The server is killed in the middle of a turn, and comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import expect

from holdfast.testing import say, slow
from tests.page.stage import PATIENCE, Gate, Script, model_server, project, screenshot, send

TOKEN = "a-token-that-both-servers-have-0123456789"


def serve(
    root: Path, environment: dict[str, str], token: Path, port: int
) -> tuple[subprocess.Popen[str], int]:
    command = [
        str(Path(sys.executable).with_name("holdfast")),
        "serve",
        "--root",
        str(root),
        "--no-open",
        "--port",
        str(port),
        "--token-file",
        str(token),
    ]
    started = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    with started.stdout as output:
        address = output.readline().strip()
    return started, httpx.URL(address).port or 0


def test_after_kill_9_in_mid_turn_the_page_says_so_and_continue_goes_on(
    tmp_path: Path, browser: Any
) -> None:
    script, gate = Script(), Gate()
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    with project(tmp_path) as (root, settings), model_server(script) as model:
        environment = {**settings, "HOLDFAST_BASE_URL": model.base_url}
        server, port = serve(root, environment, token, 0)
        try:
            context = browser.new_context()
            context.set_default_timeout(PATIENCE)
            tab = context.new_page()
            tab.goto(f"http://127.0.0.1:{port}/?token={TOKEN}")
            expect(tab.locator(".sidebar")).to_be_visible()
            tab.keyboard.press("n")
            tab.get_by_label("Do all without asking").check()
            tab.get_by_role("button", name="Begin").click()
            script.add(slow(say("This answer is cut in the middle."), gate.event))
            send(tab, "Say something")
            expect(tab.locator(".markdown")).to_contain_text("This")
            server.send_signal(signal.SIGKILL)
            server.wait()
            expect(tab.get_by_role("alert")).to_contain_text("connection to the server is lost")
            screenshot(tab, "connection-lost")
            gate.open()
            server, _ = serve(root, environment, token, port)
            tab.get_by_role("button", name="Try now").click(timeout=PATIENCE)
            expect(tab.locator(".banner.tone-good")).to_contain_text("Connected again")
            expect(tab.locator(".state")).to_have_text("Stopped")
            script.add(say("And this is the rest."))
            tab.get_by_role("button", name="Continue").click()
            expect(tab.locator(".markdown").last).to_have_text("And this is the rest.")
            expect(tab.locator(".prompt")).to_have_count(1)
            context.close()
        finally:
            gate.open()
            server.kill()
            server.wait()
