"""`holdfast demo`: each step, and that a claim which does not hold is an exit code."""

from __future__ import annotations

import os
import re

import pytest
from typer.testing import CliRunner

from holdfast.cli.app import app
from holdfast.cli.demo import edits, samples, turns
from holdfast.cli.demo.harness import DemoHarness, DemoResult, DemoStep, play
from holdfast.testing import Reply, call, say


def test_a_claim_that_does_not_hold_is_counted_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    def step(stage: DemoHarness) -> None:
        stage.claim("a is a", holds=True)
        stage.claim("a is b", holds=False)

    assert play((DemoStep("A step.", step),), app) == DemoResult(checked=2, failed=1)
    assert capsys.readouterr().out == "\n1. A step.\n   ok: a is a\n   NOT SO: a is b\n"


def test_nothing_of_the_users_settings_is_seen_and_all_is_as_before_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", "postgresql://nobody@nowhere/nothing")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    seen: list[str] = []

    def step(_: DemoHarness) -> None:
        seen.extend(sorted(name for name in os.environ if name.startswith(("HOLDFAST_", "GIT_"))))

    before = dict(os.environ)
    assert play((DemoStep("Look.", step),), app) == DemoResult(checked=0, failed=0)
    assert seen == [
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "HOLDFAST_CONFIG_FILE",
        "HOLDFAST_STATE_DIR",
    ]
    assert dict(os.environ) == before


@pytest.mark.slow
def test_a_model_that_does_not_correct_its_patch_makes_the_demo_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stubborn() -> list[Reply]:
        return [
            call("write_patch", diff="no patch"),
            call("write_patch", diff="no patch"),
            say("Done."),
        ]

    monkeypatch.setattr(samples, "malformed", stubborn)
    monkeypatch.setattr(edits, "STEPS", ())
    monkeypatch.setattr(turns, "STEPS", turns.STEPS[:2])

    ran = CliRunner().invoke(app, ["demo"])

    assert ran.exit_code == 1
    assert re.findall(r"NOT SO: (.*)", ran.output) == [
        "corrected, it landed, and in that file only"
    ]
    assert re.search(r"\n1 claim of \d+ did not hold\.\n$", ran.output)
