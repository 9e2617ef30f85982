"""Rust: rustc for a file, cargo for a project. Neither fetches anything."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from holdfast.adapters.toolchains.installed_tool import ToolProgram, need
from holdfast.adapters.toolchains.tool_check import CheckedFile, CheckStep
from holdfast.repair.diagnostics import rustc

RUSTC = ToolProgram(
    "rustc",
    "Install Rust with rustup (apt install rustup, brew install rustup), then: rustup default stable",
)
CARGO = ToolProgram("cargo", RUSTC.hint)

_NEWEST = "2021"
"""Of a file that no package says the edition of."""
_OLDEST = "2015"
"""Of a package that says nothing."""
_ROOTS = ("main.rs", "lib.rs")
_MAIN = re.compile(rb"\bfn\s+main\s*\(")


def plan(unit: CheckedFile) -> Sequence[CheckStep]:
    """Check the crate that the file belongs to, or the package with its workspace."""
    package = _above(unit, "Cargo.toml")
    if unit.mode == "project" and package is not None:
        return [_cargo_step(unit, package)]
    return [_rustc_step(unit, package)]


def _rustc_step(unit: CheckedFile, package: PurePosixPath | None) -> CheckStep:
    tool = need(RUSTC, unit.root, unit.path, unit.deadline, unit.cancel)
    farm = unit.scratch.farm(unit.path, unit.text)
    top = _crate_root(Path(farm), unit)
    # A file with a `main` is a program; of a library nothing is unused because nobody calls it.
    kind = "bin" if _MAIN.search(Path(farm, top).read_bytes()) else "lib"
    out = str(Path(unit.scratch.place("rustc"), "unit.rmeta"))
    argv = [
        tool.program,
        "--error-format=json",
        f"--edition={_edition(unit, package)}",
        f"--crate-type={kind}",
    ]
    argv += ["--crate-name=unit", "--emit=metadata", "-o", out, top]
    return CheckStep(tool, argv, farm, rustc.parse)


def _cargo_step(unit: CheckedFile, package: PurePosixPath) -> CheckStep:
    tool = need(CARGO, unit.root, unit.path, unit.deadline, unit.cancel)
    tree = unit.scratch.mirror(unit.path, unit.text)
    workspace = _workspace(unit, package)
    argv = [tool.program, "check", "--quiet", "--offline", "--all-targets", "--message-format=json"]
    # What uses this package may break with it.
    argv += ["--workspace"] if workspace is not None else []
    base = workspace if workspace is not None else package
    argv += ["--manifest-path", str(PurePosixPath(package.relative_to(base), "Cargo.toml"))]
    variables = {"CARGO_TARGET_DIR": unit.scratch.place("cargo")}
    # rustc is run, and tells paths from, where the workspace is.
    return CheckStep(
        tool, argv, str(Path(tree, base)), rustc.parse, variables=variables, base=str(base)
    )


# ------------------------------------------------------------------------------------------------------------- crates


def _crate_root(tree: Path, unit: CheckedFile) -> str:
    """Give the file that the unit is a module of, for alone it would not find its crate; or the unit itself."""
    path = PurePosixPath(unit.path)
    if path.name in _ROOTS:
        return unit.path
    for folder in path.parents:
        for name in _ROOTS:
            if (tree / folder / name).is_file() and _leads_to(tree, folder / name, path):
                return str(folder / name)
    return unit.path


def _leads_to(tree: Path, top: PurePosixPath, path: PurePosixPath) -> bool:
    """Whether each file on the way names the next as a module."""
    inside = path.relative_to(top.parent)
    names = (
        list(inside.parent.parts)
        if inside.name == "mod.rs"
        else [*inside.parent.parts, inside.stem]
    )
    at = top
    for depth, name in enumerate(names):
        if not re.search(
            rf"\bmod\s+{re.escape(name)}\s*;", (tree / at).read_text("utf-8", "replace")
        ):
            return False
        beside = top.parent.joinpath(*names[: depth + 1])
        nearer = (beside.with_name(f"{name}.rs"), beside / "mod.rs")
        found = next((file for file in nearer if (tree / file).is_file()), None)
        if found is None:
            return False
        at = found
    return at == path


# ----------------------------------------------------------------------------------------------------------- packages


def _above(unit: CheckedFile, name: str) -> PurePosixPath | None:
    parents = PurePosixPath(unit.path).parents
    return next((parent for parent in parents if (unit.root / parent / name).is_file()), None)


def _workspace(unit: CheckedFile, package: PurePosixPath) -> PurePosixPath | None:
    """Give the folder of the workspace that a package is in: its own, or one above."""
    folders = (package, *package.parents)
    return next((folder for folder in folders if "workspace" in _manifest(unit, folder)), None)


def _edition(unit: CheckedFile, package: PurePosixPath | None) -> str:
    if package is None:
        return _NEWEST
    told = _table(_manifest(unit, package), "package").get("edition")
    if isinstance(told, dict):
        workspace = _workspace(unit, package)
        shared = _table(_manifest(unit, workspace), "workspace") if workspace is not None else {}
        told = _table(shared, "package").get("edition")
    return told if isinstance(told, str) and re.fullmatch("[0-9]{4}", told) else _OLDEST


def _manifest(unit: CheckedFile, folder: PurePosixPath) -> dict[str, Any]:
    try:
        return tomllib.loads((unit.root / folder / "Cargo.toml").read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        # cargo itself says what is wrong with it.
        return {}


def _table(fields: dict[str, Any], key: str) -> dict[str, Any]:
    found = fields.get(key)
    return found if isinstance(found, dict) else {}
