"""Judge which files configure something that runs later, unasked.

An edit of such a file is asked for as a command is: by the next turn, by an editor, a shell, git or a
CI server it becomes a command. A file that is run by a check is not listed here if its content is
trusted by its hash (`vocab/trust.py`): its edit makes it untrusted.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.guards.paths import folded_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HOLDFAST = "it configures Holdfast itself"
_INSTRUCTIONS = "models are instructed by it"
_EDITOR = "an editor may run what it names"
_CI = "a CI server runs it"
_GIT = "git runs what it names"
_SHELL = "a shell runs it when somebody enters the directory"
_TOOLS = "the tools that check this project run it, or are in it"
_PACKAGES = "a package manager runs what it names"

_SETTINGS = "a program may run what it names"

_FOLDERS: Mapping[str, str] = {
    ".holdfast": _HOLDFAST,
    ".claude": _INSTRUCTIONS,
    ".cursor": _INSTRUCTIONS,
    ".vscode": _EDITOR,
    ".idea": _EDITOR,
    ".zed": _EDITOR,
    ".fleet": _EDITOR,
    ".devcontainer": _EDITOR,
    ".circleci": _CI,
    ".buildkite": _CI,
    ".semaphore": _CI,
    ".woodpecker": _CI,
    ".teamcity": _CI,
    ".husky": _GIT,
    ".githooks": _GIT,
    ".direnv": _SHELL,
    ".venv": _TOOLS,
    "venv": _TOOLS,
    "node_modules": _TOOLS,
    ".cargo": _TOOLS,
    ".yarn": _PACKAGES,
}
"""Folders by their name, at any depth."""

_FORGES = frozenset({".github", ".gitea", ".forgejo", ".gitlab"})
_OF_CI = frozenset({"workflows", "actions", "ci"})
_TEMPLATES = re.compile(r"(?:issue|pull_request|merge_request|discussion)_templates?")
"""Folders of a forge's folder that only people read; what is in others configures something."""

_FILES: Mapping[str, str] = {
    "agents.md": _INSTRUCTIONS,
    "claude.md": _INSTRUCTIONS,
    "gemini.md": _INSTRUCTIONS,
    "qwen.md": _INSTRUCTIONS,
    "opencode": _EDITOR,
    "crush": _EDITOR,
    "copilot-instructions.md": _INSTRUCTIONS,
    ".cursorrules": _INSTRUCTIONS,
    ".windsurfrules": _INSTRUCTIONS,
    ".mcp": _EDITOR,
    ".gitlab-ci": _CI,
    ".travis": _CI,
    ".drone": _CI,
    ".cirrus": _CI,
    "appveyor": _CI,
    "azure-pipelines": _CI,
    "bitbucket-pipelines": _CI,
    "buildspec": _CI,
    "cloudbuild": _CI,
    "jenkinsfile": _CI,
    ".gitattributes": _GIT,
    ".gitmodules": _GIT,
    ".gitconfig": _GIT,
    ".lfsconfig": _GIT,
    ".pre-commit-config": _GIT,
    ".pre-commit-hooks": _GIT,
    ".overcommit": _GIT,
    "lefthook": _GIT,
    ".lefthook": _GIT,
    ".envrc": _SHELL,
    ".mise": _SHELL,
    "mise": _SHELL,
    ".tool-versions": _SHELL,
    "mypy.ini": _TOOLS,
    ".mypy.ini": _TOOLS,
    "build.rs": _TOOLS,
    "rust-toolchain": _TOOLS,
    "sitecustomize.py": _TOOLS,
    "usercustomize.py": _TOOLS,
    ".eslintrc": _TOOLS,
    "eslint.config": _TOOLS,
    ".npmrc": _PACKAGES,
    ".yarnrc": _PACKAGES,
    ".pnpmfile": _PACKAGES,
    "bunfig": _PACKAGES,
}
"""Files by their name, at any depth; settings in JSON, YAML, TOML or JavaScript without the ending.

`x.local.toml`, `x-local.yml`, `x.override.md` and `x/config.toml` count as `x` does.
"""

_NAMES: Mapping[str, str] = {**_FOLDERS, **_FILES}
"""With the names of protected folders: a link of that name would be in the folder's place."""

_DATA = r"(?:\.(?:ya?ml|toml|json[5cl]?))"
_CODE = r"(?:\.[cm]?[jt]s)"
_FORMAT = re.compile(rf"(?:{_DATA}|{_CODE})\Z")
_VARIANT = re.compile(r"[.\-_](?:local|override)(?=\.|\Z)")
# Editors run these to check or format what is open. `app.config.ts` is a source file of frameworks.
_CODE_SETTINGS = re.compile(rf"(?!app\.).+\.config{_CODE}")
_EDITOR_PROJECT = re.compile(r".*\.(?:code-workspace|sublime-project)")
# Programs look for their settings under a name that begins with a dot, and nobody knows all of
# them. These run nothing, unless they are code.
_HARMLESS = re.compile(
    r"(?:\.\w*ignore|\.(?:git)?keep|\.editorconfig|\.mailmap|\.(?:clang-format|nvmrc|tool-versions)"
    r"|\.(?:python|node|ruby|java)-version|\.(?:markdownlint|yamllint)(?:rc)?"
    r"|\.env[.\-_](?:example|sample|template|dist)|\.git-blame-ignore-revs|\.rustfmt)"
    rf"{_DATA}?"
)
_HIDDEN_FOLDER = re.compile(
    r"\.(?!(?:github|gitea|forgejo|gitlab|changeset|well-known)\Z).*", re.DOTALL
)

_USER_FILE = ["holdfast", "config.toml"]
"""The user's own settings, where the project is the user's collection of settings."""


def why_protected(path: str) -> str | None:
    """Return why an edit of a file needs approval; None if the file is an ordinary one.

    >>> why_protected(".github/workflows/test.yml")
    'a CI server runs it'
    >>> why_protected(".unheard-of/settings")
    'a program may run what it names'
    >>> why_protected("src/a.py")
    """
    parts = list(map(folded_name, path.split("/")))
    *folders, name = parts
    for above, folder in pairwise(["", *folders]):
        reason = _FOLDERS.get(folder) or _why_protected_in_forge(above, folder)
        if reason is not None:
            return reason

    if parts[-2:] == _USER_FILE:
        return _HOLDFAST

    reason = _why_protected_name(name, "".join(folders[-1:]))
    if reason is None and any(map(_HIDDEN_FOLDER.fullmatch, folders)):
        return _SETTINGS

    return reason


def _why_protected_in_forge(above: str, folder: str) -> str | None:
    if above not in _FORGES or _TEMPLATES.fullmatch(folder):
        return None
    if folder in _OF_CI:
        return _CI
    return _SETTINGS


def _why_protected_name(name: str, folder: str) -> str | None:
    if _EDITOR_PROJECT.fullmatch(name):
        return _EDITOR

    plain = _VARIANT.sub("", name)
    stem = _FORMAT.sub("", plain)
    if stem == "config" and stem != plain:
        stem = folder
    for known in (name, plain, stem):
        if known in _NAMES:
            return _NAMES[known]
    if _CODE_SETTINGS.fullmatch(name):
        return _TOOLS
    if name.startswith(".") and not _HARMLESS.fullmatch(name):
        return _SETTINGS

    return None


def list_paths(paths: Iterable[str]) -> str:
    """Return paths as one text, from which two different lists differ.

    An answer for one list of files must not count for another.

    >>> print(list_paths(["a.py", "b, c.py"]))
    a.py, "b, c.py"
    """
    shown = []
    for path in paths:
        is_plain = path.isprintable() and {",", '"'}.isdisjoint(path)
        if is_plain:
            shown.append(path)
        else:
            shown.append(json.dumps(path))
    return ", ".join(shown)
