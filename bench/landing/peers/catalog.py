"""Which peers there are, and which of them are installed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from bench.landing.engines import Engine
from bench.landing.peers import bridge, tools

CALL_LIMIT_SECONDS: Final = 5.0


def find_peers(
    names: str, limit_seconds: float = CALL_LIMIT_SECONDS
) -> tuple[list[Engine], list[str]]:
    """The engines asked for (`all`, or names with commas), and a line about each that is not installed."""
    offered = _offered(limit_seconds)
    wanted = list(offered) if names == "all" else [name.strip() for name in names.split(",")]
    unknown = [name for name in wanted if name not in offered]
    if unknown:
        raise SystemExit(f"no peer is called {', '.join(unknown)}; there are: {', '.join(offered)}")
    missing = [
        f"{name} is not installed and is left out; `make bench-peers` installs it."
        for name in wanted
        if offered[name] is None
    ]
    return [engine for name in wanted if (engine := offered[name]) is not None], missing


def _offered(limit: float) -> dict[str, Engine | None]:
    """Every peer by its name; None for one that is not installed."""
    plain: dict[str, Engine | None] = {
        "first_hit": tools.PlainPeer("first hit", tools.first_hit),
        "exact_once": tools.PlainPeer("exact, once", tools.exact_once),
    }
    return {**plain, **_aider(limit), **_npm(limit), **_commands(limit)}


def _aider(limit: float) -> dict[str, Engine | None]:
    lib = bridge.AIDER_PYTHON.parent.parent / "lib"
    if not bridge.AIDER_PYTHON.exists() or not any(lib.glob("python*/site-packages/aider/coders")):
        return {"aider_editblock": None, "aider_udiff": None}
    own = bridge.aider_bridge(limit)
    return {
        "aider_editblock": tools.TextPeer("aider editblock", own, "editblock"),
        "aider_udiff": tools.DiffPeer("aider udiff", own, "udiff"),
    }


def _npm(limit: float) -> dict[str, Engine | None]:
    node = bridge.node_bridge(limit)
    peers: dict[str, tuple[str, Engine]] = {
        "pi": ("@mariozechner/pi-coding-agent", tools.TextPeer("pi edit", node, "piEdit")),
        "gemini": ("@google/gemini-cli-core", tools.TextPeer("gemini edit", node, "geminiEdit")),
        "cline_editor": ("@cline/core", tools.TextPeer("cline editor", node, "clineEditor")),
        "cline_patch": ("@cline/core", tools.ClinePatchPeer("cline apply_patch", node)),
        "jsdiff": ("diff", tools.DiffPeer("jsdiff, fuzz 2", node, "jsdiff")),
    }
    return {
        name: peer if _has_package(package) else None for name, (package, peer) in peers.items()
    }


def _commands(limit: float) -> dict[str, Engine | None]:
    codex = next(iter(sorted(bridge.NODE_MODULES.glob("@openai/codex-*/vendor/*/bin/codex"))), None)
    lenient = tools.git_apply_command("--recount", "--ignore-whitespace", "-C1")
    found: dict[str, Engine | None] = {
        "codex": None,
        "patch": None,
        "git_apply": None,
        "git_apply_lenient": None,
    }
    if codex is not None:
        found["codex"] = tools.CommandPeer("codex apply_patch", tools.codex_command(codex), limit)
    if shutil.which("patch"):
        found["patch"] = tools.CommandPeer("patch(1)", tools.patch_command, limit)
    if shutil.which("git"):
        found["git_apply"] = tools.CommandPeer(
            "git apply", tools.git_apply_command(), limit, keep_name=True
        )
        found["git_apply_lenient"] = tools.CommandPeer(
            "git apply, lenient", lenient, limit, keep_name=True
        )
    return found


def _has_package(name: str) -> bool:
    return shutil.which("node") is not None and Path(bridge.NODE_MODULES, name).is_dir()
