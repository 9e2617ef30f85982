"""JavaScript and TypeScript: tsc where it is installed, `node --check` at least."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from holdfast.adapters.toolchains.installed_tool import Installed, ToolProgram, find, need
from holdfast.adapters.toolchains.languages.tsconfig import OURS, find_tsconfig
from holdfast.adapters.toolchains.tool_check import CheckedFile, CheckStep
from holdfast.repair.diagnostics import node, tsc
from holdfast.vocab.diagnostics import Diagnostic

TSC = ToolProgram("tsc", "Install it with: npm install --save-dev typescript@5")
NODE = ToolProgram(
    "node", "Install Node.js 20 or later: apt install nodejs (Debian), brew install node (macOS)."
)

# Where there is no tsconfig.json: modern code, all types checked, and no other package's files.
_PLAIN = (
    "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--jsx", "preserve",
    "--skipLibCheck", "--preserveSymlinks",
)  # fmt: skip
# What is not installed here says nothing about the code, where the project says nothing of tsc: types of node, of
# jQuery, of a test runner, and packages.
_ABOUT_HERE = frozenset(
    {"TS2580", "TS2581", "TS2582", "TS2584", "TS2591", "TS2592", "TS2593", "TS2688", "TS7016"}
)
_NO_MODULE = frozenset({"TS2307", "TS2792"})
_NODE_NAMES = frozenset({"__dirname", "__filename", "global"})
_JS_SUFFIXES = (".js", ".mjs", ".cjs", ".jsx")
_LIKE_A_MODULE = re.compile(rb"^[ \t]*(?:import\b(?!\s*[(.])|export\b)", re.MULTILINE)
_SURELY_A_MODULE = re.compile(
    rb"^[ \t]*(?:import\s*(?:[\w*{][^;()]*?\bfrom\s*)?[\"']"
    rb"|export\s+(?:default|const|let|function|class)\b|export\s*[{*])",
    re.MULTILINE,
)
_SCRIPT_WORDS = re.compile(rb"\brequire\s*\(|\bmodule\.exports\b|^[ \t]*exports\.", re.MULTILINE)
_JAVASCRIPT = ("--allowJs", "--checkJs", "--noImplicitAny", "false", "--strict", "false")


def plan_javascript(unit: CheckedFile) -> Sequence[CheckStep]:
    """Check the syntax with node; then the types with tsc."""
    look = partial(find, root=unit.root, path=unit.path, deadline=unit.deadline, cancel=unit.cancel)
    types = look(TSC)
    if unit.path.endswith(".jsx"):
        # node reads no JSX.
        return [
            _tsc_step(unit, types or need(TSC, unit.root, unit.path, unit.deadline, unit.cancel))
        ]
    steps = [_node_step(unit)]
    return [*steps, _tsc_step(unit, types)] if types else steps


def plan_as_configured(unit: CheckedFile) -> Sequence[CheckStep]:
    """Check the syntax with node; the types with tsc only where the project says how."""
    config = find_tsconfig(unit.root, unit.path)
    if (config is not None and config.allows_js) or unit.path.endswith(".jsx"):
        return plan_javascript(unit)
    return [replace(_node_step(unit), soften=_soften_markup)]


def _soften_markup(found: Diagnostic) -> Diagnostic:
    """Let JSX in a `.js` pass, which a bundler reads and node does not."""
    return replace(found, severity="warning") if found.message == "Unexpected token '<'" else found


def plan_typescript(unit: CheckedFile) -> Sequence[CheckStep]:
    """Check the types with tsc."""
    return [_tsc_step(unit, need(TSC, unit.root, unit.path, unit.deadline, unit.cancel))]


def _node_step(unit: CheckedFile) -> CheckStep:
    tool = need(NODE, unit.root, unit.path, unit.deadline, unit.cancel)
    farm = unit.scratch.farm(unit.path, unit.text)
    if unit.path.endswith(".js") and _package_type(unit) is None and _is_module(unit.text):
        # node guesses that this is a module, and then does not look at it at all.
        argv = [tool.program, "--check", "--input-type=module"]
        return CheckStep(tool, argv, farm, node.parse, unit.text, names={"[stdin]": unit.path})
    return CheckStep(tool, [tool.program, "--check", unit.path], farm, node.parse)


def _is_module(text: bytes) -> bool:
    """Whether a script is a module, by its words; one that speaks like a script needs more to show for it."""
    return bool((_SURELY_A_MODULE if _SCRIPT_WORDS.search(text) else _LIKE_A_MODULE).search(text))


def _package_type(unit: CheckedFile) -> str | None:
    """Give what the nearest package says its files are: `module` or `commonjs`; None if it does not say."""
    for parent in PurePosixPath(unit.path).parents:
        file = unit.root / parent / "package.json"
        if file.is_file():
            try:
                told = json.loads(file.read_bytes())
            except (OSError, ValueError, RecursionError):
                return None
            named = told.get("type") if isinstance(told, dict) else None
            return named if named in {"module", "commonjs"} else None
    return None


def _tsc_step(unit: CheckedFile, tool: Installed) -> CheckStep:
    argv = [tool.program, "--noEmit", "--pretty", "false"]
    is_javascript = unit.path.endswith(_JS_SUFFIXES)
    config = find_tsconfig(unit.root, unit.path) if unit.mode == "project" else None
    if config is not None and (config.allows_js or not is_javascript):
        tree = unit.scratch.mirror(unit.path, unit.text)
        ours = config.folder / OURS
        Path(tree, ours).write_text(json.dumps(config.for_unit(unit.path)), "utf-8")
        argv += ["--project", str(ours), "--incremental", "false", "--composite", "false"]
        return CheckStep(tool, argv, tree, tsc.parse)
    farm = unit.scratch.farm(unit.path, unit.text)
    argv += _PLAIN
    argv += _JAVASCRIPT if is_javascript else ()
    return CheckStep(
        tool,
        [*argv, unit.path],
        farm,
        tsc.parse,
        soften=_soften_javascript if is_javascript else _soften,
    )


def _soften(found: Diagnostic) -> Diagnostic:
    first = found.args[0] if found.args else ""
    is_package = found.code in _NO_MODULE and not first.startswith(".")
    if found.code in _ABOUT_HERE or is_package or (found.code == "TS2304" and first in _NODE_NAMES):
        return replace(found, severity="warning")
    return found


def _soften_javascript(found: Diagnostic) -> Diagnostic:
    """A `return` outside of a function is right in a script of node; where it is not, node says so."""
    return replace(found, severity="warning") if found.code == "TS1108" else _soften(found)
