"""JavaScript and TypeScript: tsc if it is installed, else `node --check`."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.toolchains.check_step import BatchForm, CheckedFile, CheckStep
from holdfast.adapters.toolchains.installed_tool import InstalledTool, ToolProgram
from holdfast.adapters.toolchains.languages.tsconfig import OURS, find_tsconfig
from holdfast.adapters.toolchains.nearest_file import nearest_file
from holdfast.repair.diagnostics import node, tsc
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.diagnostics import Diagnostic

TSC = ToolProgram("tsc", "Install it with: npm install --save-dev typescript@5")
NODE = ToolProgram(
    "node", "Install Node.js 20 or later: apt install nodejs (Debian), brew install node (macOS)."
)

# Without a tsconfig.json: modern code, all types checked, and no files of other packages.
_PLAIN = (
    "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler",
    "--jsx", "preserve", "--skipLibCheck", "--preserveSymlinks",
)  # fmt: skip
# Types of node, of jQuery, of a test runner, and packages that are not installed here. They are not
# errors of the code if the project has no settings for tsc.
_NOT_INSTALLED = frozenset(
    {"TS2580", "TS2581", "TS2582", "TS2584", "TS2591", "TS2592", "TS2593", "TS2688", "TS7016"}
)
_NO_MODULE = frozenset({"TS2307", "TS2792"})
_NODE_NAMES = frozenset({"__dirname", "__filename", "global"})
_JS_SUFFIXES = (".js", ".mjs", ".cjs", ".jsx")
_LIKELY_A_MODULE = lazy_pattern(rb"^[ \t]*(?:import\b(?!\s*[(.])|export\b)", re.MULTILINE)
_SURELY_A_MODULE = lazy_pattern(
    rb"^[ \t]*(?:import\s*(?:[\w*{][^;()]*?\bfrom\s*)?[\"']"
    rb"|export\s+(?:default|const|let|function|class)\b|export\s*[{*])",
    re.MULTILINE,
)
_SCRIPT_WORDS = lazy_pattern(rb"\brequire\s*\(|\bmodule\.exports\b|^[ \t]*exports\.", re.MULTILINE)
_JAVASCRIPT = ("--allowJs", "--checkJs", "--noImplicitAny", "false", "--strict", "false")


def plan_javascript(unit: CheckedFile) -> Sequence[CheckStep]:
    """Check the syntax with node; then the types with tsc."""
    if unit.path.endswith(".jsx"):
        # node cannot parse JSX.
        return plan_typescript(unit)

    steps = [_node_step(unit)]
    types = unit.find_tool(TSC)
    if types is not None:
        steps.append(_tsc_step(unit, types))

    return steps


def plan_as_configured(unit: CheckedFile) -> Sequence[CheckStep]:
    """Check the syntax with node; the types with tsc only if the project has settings for it."""
    config = find_tsconfig(unit.root, unit.path)
    has_settings = config is not None and config.allows_js
    if has_settings or unit.path.endswith(".jsx"):
        return plan_javascript(unit)
    return [replace(_node_step(unit), adjust=_accept_jsx)]


def plan_typescript(unit: CheckedFile) -> Sequence[CheckStep]:
    """Check the types with tsc."""
    return [_tsc_step(unit, unit.require_tool(TSC))]


# --------------------------------------------------------------------------------------------- node


def _node_step(unit: CheckedFile) -> CheckStep:
    tool = unit.require_tool(NODE)
    farm = unit.scratch.farm_folder()
    prepare = partial(unit.scratch.farm, unit.path, unit.text)
    batch = BatchForm((), str(unit.root), one_by_one=True)
    has_no_type = unit.path.endswith(".js") and _package_type(unit) is None
    if has_no_type and _is_module(unit.text):
        # node guesses that the file is a module, and then does not check it at all.
        argv = [tool.program, "--check", "--input-type=module"]
        return CheckStep(
            tool=tool,
            argv=argv,
            cwd=farm,
            parse=node.parse,
            stdin=unit.text,
            aliases={"[stdin]": unit.path},
            reads="settings",
            batch=batch,
            prepare=prepare,
        )

    argv = [tool.program, "--check", unit.path]
    return CheckStep(tool, argv, farm, node.parse, reads="settings", batch=batch, prepare=prepare)


def _accept_jsx(found: Diagnostic) -> Diagnostic:
    """Make JSX in a `.js` file a warning: a bundler accepts it, and node does not."""
    if found.message == "Unexpected token '<'":
        return replace(found, severity="warning")
    return found


def _is_module(text: bytes) -> bool:
    """Return whether a file is a module, by its text.

    A file with the words of a script needs a stronger sign.
    """
    if _SCRIPT_WORDS.search(text):
        return _SURELY_A_MODULE.search(text) is not None
    return _LIKELY_A_MODULE.search(text) is not None


def _package_type(unit: CheckedFile) -> str | None:
    """Return the `type` of the nearest package, `module` or `commonjs`; None if it has none."""
    file = nearest_file(unit.root, unit.path, ["package.json"])
    if file is None:
        return None

    try:
        package = json.loads(read_plain(unit.root / file))
    except (OSError, ValueError, RecursionError):
        return None

    if not isinstance(package, dict):
        return None

    for name in ("module", "commonjs"):
        if package.get("type") == name:
            return name

    return None


# ---------------------------------------------------------------------------------------------- tsc


def _tsc_step(unit: CheckedFile, tool: InstalledTool) -> CheckStep:
    # To check the types that tsc itself brings takes it twice as long as all the rest.
    argv = [tool.program, "--noEmit", "--pretty", "false", "--skipDefaultLibCheck"]
    is_javascript = unit.path.endswith(_JS_SUFFIXES)
    config = None
    if unit.mode == "project":
        config = find_tsconfig(unit.root, unit.path)

    if config is not None and (config.allows_js or not is_javascript):
        tree = unit.scratch.mirror(unit.path, unit.text)
        ours = config.folder / OURS
        Path(tree, ours).write_text(json.dumps(config.for_unit(unit.path)), "utf-8")
        argv += ["--project", str(ours), "--incremental", "false", "--composite", "false"]
        return CheckStep(tool, argv, tree, tsc.parse)

    farm = unit.scratch.farm(unit.path, unit.text)
    argv += _PLAIN
    adjust = _accept_missing_packages
    if is_javascript:
        argv += _JAVASCRIPT
        adjust = _accept_scripts

    return CheckStep(tool, [*argv, unit.path], farm, tsc.parse, adjust=adjust)


def _accept_missing_packages(found: Diagnostic) -> Diagnostic:
    """Make an error about a package or type that is not installed a warning."""
    if _is_about_missing_package(found):
        return replace(found, severity="warning")
    return found


def _is_about_missing_package(found: Diagnostic) -> bool:
    first = next(iter(found.args), "")
    if found.code in _NO_MODULE:
        return not first.startswith(".")
    if found.code == "TS2304":
        return first in _NODE_NAMES
    return found.code in _NOT_INSTALLED


def _accept_scripts(found: Diagnostic) -> Diagnostic:
    """Make a `return` outside of a function a warning too.

    It is valid in a script of node; where it is not, node reports it.
    """
    if found.code == "TS1108":
        return replace(found, severity="warning")
    return _accept_missing_packages(found)
