"""The agents that Holdfast knows: their commands, and how to see whether one is ready to use."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.adapters.processes.environment import environment
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.vocab.agent_events import Transport

LoginState: TypeAlias = Literal["ok", "needed", "unknown"]

_VERSION = lazy_pattern(r"\d+(?:\.\d+)+[\w.+-]*")
_VERSION_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """An agent and its commands, the first of which is for the transport to use by default.

    `keys` are variables, and `logins` files below the home directory, either of which is a login.
    `needs_login`: it does nothing without one. `login` and `install` are lines for a shell.

    A one-shot agent cannot ask: `edit_words` let it edit, `auto_words` let it do all; they follow
    the first `words_at` words of its command. `sandboxed_words` end its command in Holdfast's
    sandbox, because its own would not start there, and `unsandboxed_words` elsewhere.
    `sandboxed_env` are variables that tell it of Holdfast's sandbox.
    """

    name: str
    commands: Mapping[Transport, tuple[str, ...]]
    install: str = ""
    login: str = ""
    keys: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    needs_login: bool = False
    version_flag: str = "--version"
    edit_words: tuple[str, ...] = ()
    auto_words: tuple[str, ...] = ()
    words_at: int = 1
    sandboxed_words: tuple[str, ...] = ()
    unsandboxed_words: tuple[str, ...] = ()
    sandboxed_env: Mapping[str, str] = field(default_factory=dict)


KNOWN_AGENTS: tuple[KnownAgent, ...] = (
    KnownAgent(
        "qwen",
        {"acp": ("qwen", "--acp"), "oneshot": ("qwen", "-o", "stream-json", "-p")},
        "npm install -g @qwen-code/qwen-code",
        "qwen, then /auth",
        ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "DASHSCOPE_API_KEY"),
        (".qwen/oauth_creds.json",),
        edit_words=("--approval-mode", "auto-edit"),
        auto_words=("--approval-mode", "yolo"),
    ),
    KnownAgent(
        "goose",
        {
            "acp": ("goose", "acp"),
            "oneshot": (
                *("goose", "run", "--no-session", "--output-format", "stream-json"),
                "-t",
            ),
        },
        "npm install -g @aaif/goose-binary-linux-x64",
        "goose configure",
        (
            "GOOSE_PROVIDER",
            "GOOSE_MODEL",
            "OPENAI_API_KEY",
            "OPENAI_HOST",
            "OPENAI_BASE_PATH",
            "ANTHROPIC_API_KEY",
        ),
        (".config/goose/config.yaml",),
    ),
    KnownAgent(
        "codex",
        {
            "acp": ("codex-acp",),
            # A project without git works in place; every turn can be undone there, too.
            "oneshot": ("codex", "exec", "--json", "--skip-git-repo-check"),
        },
        "npm install -g @openai/codex @zed-industries/codex-acp",
        "codex login",
        ("OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME"),
        (".codex/auth.json",),
        sandboxed_words=("--sandbox", "danger-full-access"),
        unsandboxed_words=("--sandbox", "workspace-write"),
    ),
    KnownAgent(
        "claude",
        {
            "acp": ("claude-agent-acp",),
            "oneshot": ("claude", "-p", "--output-format", "stream-json", "--verbose"),
        },
        "npm install -g @anthropic-ai/claude-code @agentclientprotocol/claude-agent-acp",
        "claude /login",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"),
        (".claude/.credentials.json",),
        edit_words=("--permission-mode", "acceptEdits"),
        auto_words=("--dangerously-skip-permissions",),
        # For root, as in most containers, it takes that flag only in a sandbox.
        sandboxed_env={"IS_SANDBOX": "1"},
    ),
    KnownAgent(
        "gemini",
        {"acp": ("gemini", "--acp"), "oneshot": ("gemini", "-p")},
        "npm install -g @google/gemini-cli",
        "gemini, then /auth",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
        (".gemini/oauth_creds.json",),
        edit_words=("--approval-mode", "auto_edit"),
        auto_words=("--approval-mode", "yolo"),
    ),
    KnownAgent(
        "opencode",
        {
            "acp": ("opencode", "acp"),
            "server": ("opencode", "serve"),
            "oneshot": ("opencode", "run", "--format", "json"),
        },
        "npm install -g opencode-ai",
        "opencode auth login",
        ("OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"),
        (".local/share/opencode/auth.json",),
        auto_words=("--auto",),
        words_at=2,
    ),
    KnownAgent(
        "cline",
        {"acp": ("cline", "--acp"), "oneshot": ("cline", "--json")},
        "npm install -g cline",
        "cline auth",
        (),
        (".cline/data/secrets.json",),
        needs_login=True,
    ),
    KnownAgent(
        "copilot",
        {"acp": ("copilot", "--acp"), "oneshot": ("copilot", "-p")},
        "npm install -g @github/copilot",
        "copilot login",
        ("GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN"),
        (".copilot/config.json",),
        needs_login=True,
    ),
    KnownAgent(
        "kimi",
        {"acp": ("kimi", "acp"), "oneshot": ("kimi", "--print", "-c")},
        "pip install kimi-cli",
        "kimi, then /setup",
        ("KIMI_API_KEY", "KIMI_BASE_URL"),
        (".kimi/config.json",),
        needs_login=True,
    ),
    KnownAgent(
        "vibe",
        {"acp": ("vibe-acp",), "oneshot": ("vibe", "-p")},
        "pip install mistral-vibe",
        "vibe --setup",
        ("MISTRAL_API_KEY",),
        (".vibe/.env",),
        needs_login=True,
    ),
    KnownAgent(
        "pi",
        {"oneshot": ("pi", "-p", "--mode", "json")},
        "npm install -g @mariozechner/pi-coding-agent",
        "pi, then /login",
        ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"),
        (".pi/agent/auth.json",),
    ),
)


def find_known(name: str) -> KnownAgent | None:
    """Return the known agent of this name."""
    for agent in KNOWN_AGENTS:
        if agent.name == name:
            return agent
    return None


def find_program(command: tuple[str, ...]) -> str | None:
    """Return the absolute path of the program of a command; None if it is not installed."""
    found = shutil.which(command[0])
    if found is None:
        return None
    return str(Path(found).absolute())


def login_of(agent: KnownAgent) -> LoginState:
    """Return whether an agent has a login, as far as can be seen without starting it."""
    if any(name.endswith(("_KEY", "_TOKEN")) and os.environ.get(name) for name in agent.keys):
        return "ok"
    if any((Path.home() / file).exists() for file in agent.logins):
        return "ok"
    if agent.needs_login:
        return "needed"

    return "unknown"


def version_of(program: str, flag: str) -> str | None:
    """Return the version that a program prints, None if it prints none in time."""
    try:
        ran = subprocess.run(  # noqa: S603 - an installed program that the user has asked about
            [program, flag],
            env=environment(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None

    found = _VERSION.search(ran.stdout.decode("utf-8", "replace"))
    if found is None:
        return None

    return found.group()
