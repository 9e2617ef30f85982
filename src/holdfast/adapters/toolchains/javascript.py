"""JavaScript and TypeScript: tsc where it is installed, `node --check` at least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath

from holdfast.adapters.toolchains.check import Step, Unit
from holdfast.adapters.toolchains.tool import Installed, Tool, find, need
from holdfast.repair.diagnostics import node, tsc
from holdfast.vocab.diagnostics import Diagnostic

TSC = Tool("tsc", "Install it with: npm install --save-dev typescript@5")
NODE = Tool("node", "Install Node.js 20 or later: apt install nodejs (Debian), brew install node (macOS).")

# Where there is no tsconfig.json: modern code, all types checked, and no other package's files.
_PLAIN = (
    "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--jsx", "preserve",
    "--skipLibCheck", "--preserveSymlinks",
)  # fmt: skip
# What is not installed here says nothing about the code, where the project says nothing of tsc: types of node, of
# jQuery, of a test runner, and packages.
_ABOUT_HERE = frozenset({"TS2580", "TS2581", "TS2582", "TS2584", "TS2591", "TS2592", "TS2593", "TS2688", "TS7016"})
_NO_MODULE = frozenset({"TS2307", "TS2792"})
_NODE_NAMES = frozenset({"__dirname", "__filename", "global"})
_JAVASCRIPT = ("--allowJs", "--checkJs", "--noImplicitAny", "false", "--strict", "false")


def plan_javascript(unit: Unit) -> Sequence[Step]:
    """Check the syntax with node; then the types with tsc."""
    look = partial(find, root=unit.root, path=unit.path, deadline=unit.deadline)
    types = look(TSC)
    if unit.path.endswith(".jsx"):
        # node reads no JSX.
        return [_tsc_step(unit, types or need(TSC, unit.root, unit.path, unit.deadline))]
    steps = [_node_step(unit)]
    return [*steps, _tsc_step(unit, types)] if types else steps


def plan_typescript(unit: Unit) -> Sequence[Step]:
    """Check the types with tsc."""
    return [_tsc_step(unit, need(TSC, unit.root, unit.path, unit.deadline))]


def _node_step(unit: Unit) -> Step:
    tool = need(NODE, unit.root, unit.path, unit.deadline)
    return Step(tool, [tool.program, "--check", unit.path], unit.scratch.farm(unit.path, unit.text), node.parse)


def _tsc_step(unit: Unit, tool: Installed) -> Step:
    argv = [tool.program, "--noEmit", "--pretty", "false"]
    config = _config(unit)
    if unit.mode == "project" and config is not None:
        tree = unit.scratch.mirror(unit.path, unit.text)
        argv += ["--project", str(config), "--incremental", "false", "--composite", "false"]
        return Step(tool, argv, tree, tsc.parse)
    farm = unit.scratch.farm(unit.path, unit.text)
    argv += _PLAIN
    argv += _JAVASCRIPT if unit.path.endswith((".js", ".mjs", ".cjs", ".jsx")) else ()
    return Step(tool, [*argv, unit.path], farm, tsc.parse, soften=_soften)


def _soften(found: Diagnostic) -> Diagnostic:
    first = found.args[0] if found.args else ""
    is_package = found.code in _NO_MODULE and not first.startswith(".")
    if found.code in _ABOUT_HERE or is_package or (found.code == "TS2304" and first in _NODE_NAMES):
        return replace(found, severity="warning")
    return found


def _config(unit: Unit) -> PurePosixPath | None:
    parents = PurePosixPath(unit.path).parents
    files = (parent / name for parent in parents for name in ("tsconfig.json", "jsconfig.json"))
    return next((file for file in files if (unit.root / file).is_file()), None)
