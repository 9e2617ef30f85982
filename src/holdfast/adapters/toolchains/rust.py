"""Rust: rustc for a file, cargo for a project. Neither fetches anything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from holdfast.adapters.toolchains.check import Step, Unit
from holdfast.adapters.toolchains.tool import Tool, need
from holdfast.repair.diagnostics import rustc

RUSTC = Tool("rustc", "Install Rust with rustup (apt install rustup, brew install rustup), then: rustup default stable")
CARGO = Tool("cargo", RUSTC.hint)

_EDITION = re.compile(r'^\s*edition\s*=\s*"([0-9]{4})"', re.MULTILINE)


def plan(unit: Unit) -> Sequence[Step]:
    """Check the file as a crate of its own, or the package it belongs to."""
    package = _package(unit)
    if unit.mode == "project" and package is not None:
        return [_cargo_step(unit, package)]
    return [_rustc_step(unit, package)]


def _rustc_step(unit: Unit, package: PurePosixPath | None) -> Step:
    tool = need(RUSTC, unit.root, unit.path, unit.deadline)
    farm = unit.scratch.farm(unit.path, unit.text)
    # A file with a `main` is a program; of a library nothing is unused because nobody calls it.
    kind = "bin" if re.search(rb"\bfn\s+main\s*\(", unit.text) else "lib"
    out = str(Path(unit.scratch.place("rustc"), "unit.rmeta"))
    argv = [tool.program, "--error-format=json", f"--edition={_edition(unit, package)}", f"--crate-type={kind}"]
    argv += ["--crate-name=unit", "--emit=metadata", "-o", out, unit.path]
    return Step(tool, argv, farm, rustc.parse)


def _cargo_step(unit: Unit, package: PurePosixPath) -> Step:
    tool = need(CARGO, unit.root, unit.path, unit.deadline)
    tree = unit.scratch.mirror(unit.path, unit.text)
    manifest = str(PurePosixPath(package, "Cargo.toml"))
    argv = [tool.program, "check", "--quiet", "--offline", "--all-targets", "--message-format=json"]
    argv += ["--manifest-path", manifest]
    return Step(tool, argv, tree, rustc.parse, variables={"CARGO_TARGET_DIR": unit.scratch.place("cargo")})


def _package(unit: Unit) -> PurePosixPath | None:
    parents = PurePosixPath(unit.path).parents
    return next((parent for parent in parents if (unit.root / parent / "Cargo.toml").is_file()), None)


def _edition(unit: Unit, package: PurePosixPath | None) -> str:
    if package is None:
        return "2021"
    told = _EDITION.search((unit.root / package / "Cargo.toml").read_text("utf-8", "replace"))
    return told[1] if told else "2021"
