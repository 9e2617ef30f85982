"""Judge which files configure something that runs later, unasked.

An edit of such a file is asked for as a command is: by the next turn, by an editor, a shell, git or a
CI server it becomes a command. A file that is run by a check is not listed here if its content is
trusted by its hash (`vocab/trust.py`): its edit makes it untrusted.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from holdfast.guards.paths import folded_name
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_INSTRUCTIONS = "models are instructed by it"
_EDITOR = "an editor may run what it names"
_CI = "a CI server runs it"
_TOOLS = "the tools that check this project run it, or are in it"
_SETTINGS = "a program may run what it names"

_DATA = r"(?:\.(?:ya?ml|toml|json[5cl]?))"
_CODE = r"(?:\.[cm]?[jt]s)"
_VARIANT = lazy_pattern(r"[.\-_](?:local|override)(?=(?:\.[^/]*)?\Z)")
_FORGE = r"\.(?:github|gitea|forgejo|gitlab)"
_TEMPLATES = r"(?:issue|pull_request|merge_request|discussion)_templates?"
"""Folders of a forge's folder that only people read; what is in others configures something."""
# Programs look for their settings under a name that begins with a dot, and nobody knows all of
# them. These run nothing, unless they are code.
_HARMLESS = (
    r"(?:\.\w*ignore|\.(?:git)?keep|\.editorconfig|\.mailmap|\.(?:clang-format|nvmrc)"
    r"|\.(?:python|node|ruby|java)-version|\.(?:markdownlint|yamllint)(?:rc)?"
    r"|\.env[.\-_](?:example|sample|template|dist)|\.git-blame-ignore-revs|\.rustfmt)"
    rf"{_DATA}?"
)


def _named(*, folders: str, files: str = "") -> str:
    """Return an expression for what is in one of the folders, and for files with one of these names.

    `x.yml` and `x/config.toml` count as the file `x` does, and so does a file with the name of a
    folder: a link could be in the folder's place.
    """
    inside = "|".join(map(re.escape, folders.split()))
    names = "|".join(map(re.escape, f"{folders} {files}".split()))
    return rf"(?:{inside})/|(?:{names})(?:(?:/config)?(?:{_DATA}|{_CODE}))?\Z"


_REASONS: Mapping[str, str] = {
    _named(folders=".holdfast"): "it configures Holdfast itself",
    # The user's own settings, where the project is the user's collection of settings.
    r"holdfast/config\.toml\Z": "it configures Holdfast itself",
    _named(
        folders=".claude .cursor",
        files="agents.md claude.md gemini.md qwen.md copilot-instructions.md",
    ): _INSTRUCTIONS,
    _named(
        folders=".vscode .idea .devcontainer",
        files="opencode crush .mcp",
    ): _EDITOR,
    r"[^/]*\.(?:code-workspace|sublime-project)\Z": _EDITOR,
    _named(
        folders=".circleci",
        files=".gitlab-ci appveyor azure-pipelines bitbucket-pipelines buildspec cloudbuild jenkinsfile",
    ): _CI,
    rf"{_FORGE}/(?:workflows|actions|ci)/": _CI,
    _named(
        folders=".husky .githooks",
        files=".gitattributes .gitmodules .pre-commit-config lefthook",
    ): "git runs what it names",
    _named(
        folders=".direnv",
        files=".envrc mise .tool-versions",
    ): "a shell runs it when somebody enters the directory",
    _named(
        folders=".venv venv node_modules .cargo",
        files="mypy.ini build.rs rust-toolchain sitecustomize.py usercustomize.py "
        ".eslintrc eslint.config",
    ): _TOOLS,
    # Editors run these to check or format what is open. `app.config.ts` is a source file of frameworks.
    rf"(?!app\.)[^/]+\.config{_CODE}\Z": _TOOLS,
    _named(
        folders=".yarn",
        files=".npmrc .pnpmfile bunfig",
    ): "a package manager runs what it names",
    rf"{_FORGE}/(?!{_TEMPLATES}/)[^/]+/": _SETTINGS,
    rf"(?!(?:{_FORGE}|\.changeset|\.well-known)/)\.[^/]*/": _SETTINGS,
    rf"(?!{_HARMLESS}\Z)\.[^/]*\Z": _SETTINGS,
}
"""Parts of a path, at any depth, and why they are protected.

The last two are for every hidden name. So the others have only those of them whose reason says more.
"""
_RULES = [(lazy_pattern(rf"(?:\A|/)(?:{part})"), why) for part, why in _REASONS.items()]


def why_protected(path: str) -> str | None:
    """Return why an edit of a file needs approval; None if the file is an ordinary one.

    `x.local.toml`, `x-local.yml` and `x.override.md` count as `x` does.

    >>> why_protected(".github/workflows/test.yml")
    'a CI server runs it'
    >>> why_protected(".unheard-of/settings")
    'a program may run what it names'
    >>> why_protected("src/a.py")
    """
    folded = "/".join(map(folded_name, path.split("/")))
    plain = _VARIANT.sub("", folded)
    for rule, why in _RULES:
        if rule.search(plain) or rule.search(folded):
            return why

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
