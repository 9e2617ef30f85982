"""Which command an agent is started with."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.config.settings import Settings
from holdfast.wiring.agents.choice import ChosenAgent, choose_agent
from holdfast.wiring.settings import settings_at


@pytest.mark.parametrize(
    ("name", "asking", "unattended"),
    [
        (
            "claude",
            "claude --permission-mode acceptEdits -p --output-format stream-json --verbose",
            "claude --dangerously-skip-permissions -p --output-format stream-json --verbose",
        ),
        (
            "qwen",
            "qwen --approval-mode auto-edit -o stream-json -p",
            "qwen --approval-mode yolo -o stream-json -p",
        ),
        ("gemini", "gemini --approval-mode auto_edit -p", "gemini --approval-mode yolo -p"),
        ("opencode", "opencode run --format json", "opencode run --auto --format json"),
    ],
)
def test_a_one_shot_agent_gets_the_words_for_what_it_may_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, asking: str, unattended: str
) -> None:
    program = tmp_path / name
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(tmp_path / "user.toml"))
    for approve, expected in (("ask", asking), ("auto", unattended)):
        settings = settings_at(tmp_path, {"approve": approve})
        assert isinstance(settings, Settings)
        chosen = choose_agent(name, "oneshot", settings)
        assert isinstance(chosen, ChosenAgent), chosen
        assert " ".join(chosen.command) == expected
