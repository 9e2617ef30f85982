"""Rust: rustc for a file, cargo for a project. Neither downloads anything."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.toolchains.check_step import BatchForm, CheckedFile, CheckStep
from holdfast.adapters.toolchains.installed_tool import NOT_TRUSTED, ToolProgram
from holdfast.adapters.toolchains.toml_file import read_toml
from holdfast.repair.diagnostics import rustc
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RUSTC = ToolProgram(
    "rustc",
    "Install Rust with rustup (apt install rustup, brew install rustup), "
    "then: rustup default stable",
)
CARGO = ToolProgram("cargo", RUSTC.hint)

_NEWEST = "2021"
"""The edition of a file without a package."""
_OLDEST = "2015"
"""The edition of a package that does not set one."""
_ROOTS = ("main.rs", "lib.rs")
_CODE_FILES = (
    "build.rs",
    ".cargo/config.toml",
    ".cargo/config",
    "rust-toolchain.toml",
    "rust-toolchain",
)
_DEPENDENCIES = (
    "dependencies",
    "dev-dependencies",
    "dev_dependencies",
    "build-dependencies",
    "build_dependencies",
)
_BUILD_DEPENDENCIES = ("build-dependencies", "build_dependencies")
_MOST_MANIFESTS = 500
_MOST_FOLDERS = 20_000
_TABLES = frozenset(
    (
        "package",
        "lib",
        "bin",
        "test",
        "bench",
        "example",
        "features",
        "profile",
        "workspace",
        "lints",
        "badges",
        "target",
    )
)
_PACKAGE_KEYS = """
name version edition authors description license license-file readme repository homepage
documentation keywords categories rust-version publish include exclude default-run
autobins autotests autobenches autoexamples autolib resolver metadata
"""
_PACKAGE = frozenset(_PACKAGE_KEYS.split())
_TARGET = frozenset(
    (
        "name",
        "path",
        "test",
        "doctest",
        "bench",
        "doc",
        "edition",
        "harness",
        "required-features",
        "crate-type",
    )
)
_WORKSPACE = frozenset(
    ("members", "default-members", "exclude", "resolver", "package", "lints", "metadata")
)
_CRATES = frozenset(("bin", "lib", "rlib", "dylib", "cdylib", "staticlib"))
_MAIN = lazy_pattern(rb"\bfn\s+main\s*\(")


def plan(unit: CheckedFile) -> Sequence[CheckStep]:
    """Check the crate that the file belongs to, or the package with its workspace."""
    package = unit.folder_with("Cargo.toml")
    if not unit.own_code and any(build_files(unit.root, unit.path)):
        unit.refuse_tool(CARGO, NOT_TRUSTED)
    if unit.mode == "project" and package is not None:
        return [_cargo_step(unit, package)]
    return [_rustc_step(unit, package)]


def _rustc_step(unit: CheckedFile, package: PurePosixPath | None) -> CheckStep:
    tool = unit.require_tool(RUSTC)
    farm = unit.scratch.farm(unit.path, unit.text)
    top = _crate_root(Path(farm), unit)
    # A file with a `main` is a program; the public items of a library are never unused.
    kind = "bin" if _MAIN.search(_text_of(Path(farm, top))) else "lib"
    out = str(Path(unit.scratch.tool_folder("rustc"), "unit.rmeta"))
    argv = [
        tool.program,
        "--error-format=json",
        f"--edition={_edition(unit, package)}",
        f"--crate-type={kind}",
    ]
    argv += ["--crate-name=unit", "--emit=metadata", "-o", out, top]
    return CheckStep(tool, argv, farm, rustc.parse)


def _cargo_step(unit: CheckedFile, package: PurePosixPath) -> CheckStep:
    tool = unit.require_tool(CARGO)
    tree = unit.scratch.mirror(unit.path, unit.text)
    workspace = _workspace(unit, package)
    argv = [tool.program, "check", "--quiet", "--offline", "--all-targets", "--message-format=json"]
    base = package
    if workspace is not None:
        # Packages that depend on this one may break with it.
        argv.append("--workspace")
        base = workspace

    argv += ["--manifest-path", str(PurePosixPath(package.relative_to(base), "Cargo.toml"))]
    variables = {"CARGO_TARGET_DIR": unit.scratch.tool_folder("cargo")}
    # rustc runs in the folder of the workspace, and its paths begin there.
    return CheckStep(
        tool=tool,
        argv=argv,
        cwd=str(Path(tree, base)),
        parse=rustc.parse,
        variables=variables,
        base=str(base),
        batch=BatchForm(tuple(argv), str(Path(tree, base)), adds_files=False),
    )


# ------------------------------------------------------------------------------------------- crates


def _crate_root(tree: Path, unit: CheckedFile) -> str:
    """Return the root file of the crate that has the unit as a module; else the unit itself."""
    path = PurePosixPath(unit.path)
    if path.name in _ROOTS:
        return unit.path

    for folder in path.parents:
        for name in _ROOTS:
            if (tree / folder / name).is_file() and _leads_to(tree, folder / name, path):
                return str(folder / name)

    return unit.path


def _leads_to(tree: Path, top: PurePosixPath, path: PurePosixPath) -> bool:
    """Return whether each file from the root to the unit declares the next one as a module."""
    inside = path.relative_to(top.parent)
    names = list(inside.parent.parts)
    if inside.name != "mod.rs":
        names.append(inside.stem)

    at, folder = top, top.parent
    for name in names:
        if not _declares(tree / at, name):
            return False
        found = _module_file(tree, folder, name)
        if found is None:
            return False
        at, folder = found, folder / name

    return at == path


def _declares(file: Path, module: str) -> bool:
    text = _text_of(file).decode("utf-8", "replace")
    return re.search(rf"\bmod\s+{re.escape(module)}\s*;", text) is not None


def _text_of(file: Path) -> bytes:
    try:
        return read_plain(file)
    except OSError:
        return b""


def _module_file(tree: Path, folder: PurePosixPath, name: str) -> PurePosixPath | None:
    for file in (folder / f"{name}.rs", folder / name / "mod.rs"):
        if (tree / file).is_file():
            return file
    return None


# ------------------------------------------------------------------------------------ code it runs


def build_files(root: Path, path: str) -> Iterator[str]:
    """Yield the files that make cargo or rustup run code, for a file and all that it depends on.

    A manifest is one of them unless all that it says is known to run nothing. Dependencies have
    build scripts and macros of their own. Of a macro, and of a library that build scripts use, the
    root file is one too.
    """
    for folder in PurePosixPath(path).parents:
        for name in _CODE_FILES:
            if (root / folder / name).is_file():
                yield str(folder / name)

    manifests, is_whole = _manifests(root, path)
    if not is_whole:
        yield str(manifests[0])
    built = _built_first(root, manifests)
    manifests = list(dict.fromkeys([*manifests, *_reached(root, manifests)]))
    for manifest in manifests:
        fields = read_toml(root / manifest)
        script = _table(fields, "package").get("build", "build.rs")
        others = [manifest.parent / str(script), manifest.parent / "Cargo.lock"]
        if not _runs_code(fields) and not (root / others[0]).is_file():
            continue
        yield str(manifest)
        library = _table(fields, "lib")
        if not _is_plain_target(library) or manifest in built:
            others.append(manifest.parent / str(library.get("path", "src/lib.rs")))
        for file in others:
            if (root / file).is_file():
                yield str(file)


def _manifests(root: Path, path: str) -> tuple[list[PurePosixPath], bool]:
    """Return the manifests above a file; if one is that of a workspace, all below it.

    Also return whether that are all: of very many some are not looked for.
    """
    found: dict[PurePosixPath, None] = {}
    looked = 0
    for folder in PurePosixPath(path).parents:
        manifest = folder / "Cargo.toml"
        if not (root / manifest).is_file():
            continue
        found[manifest] = None
        if "workspace" not in read_toml(root / manifest):
            continue
        for member in islice(_folders(root / folder), _MOST_FOLDERS):
            looked += 1
            if (member / "Cargo.toml").is_file():
                found[PurePosixPath(member.relative_to(root)) / "Cargo.toml"] = None

    is_whole = looked < _MOST_FOLDERS and len(found) <= _MOST_MANIFESTS
    return sorted(found)[: _MOST_MANIFESTS + 1], is_whole


def _built_first(root: Path, manifests: Sequence[PurePosixPath]) -> frozenset[PurePosixPath]:
    """Return the manifests of the packages that build scripts use, directly or through another."""
    used: list[PurePosixPath] = []
    for manifest in (*manifests, *_reached(root, manifests)):
        used += _dependencies_at(root, manifest, _BUILD_DEPENDENCIES)
    return frozenset((*used, *_reached(root, used)))


def _reached(root: Path, manifests: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """Return the manifests below the root on which these depend by a path, all the way."""
    found = dict.fromkeys(manifests)
    queue = list(manifests)
    for manifest in queue:
        for other in _dependencies_at(root, manifest, _DEPENDENCIES):
            if other not in found and len(found) <= _MOST_MANIFESTS:
                found[other] = None
                queue.append(other)
    return queue[len(manifests) :]


def _dependencies_at(
    root: Path, manifest: PurePosixPath, tables: Sequence[str]
) -> Iterator[PurePosixPath]:
    """Yield the manifests of the packages that a manifest names by a path below the root."""
    fields = read_toml(root / manifest)
    for table in _dependency_tables(fields):
        for name in tables:
            listed = table.get(name)
            if isinstance(listed, dict):
                yield from _named_by_path(root, manifest.parent, listed)


def _named_by_path(
    root: Path, folder: PurePosixPath, listed: dict[str, Any]
) -> Iterator[PurePosixPath]:
    for dependency in listed.values():
        if not isinstance(dependency, dict) or "path" not in dependency:
            continue
        other = os.path.normpath(folder / str(dependency["path"]) / "Cargo.toml")
        if not other.startswith(("..", "/")) and (root / other).is_file():
            yield PurePosixPath(other)


def _folders(top: Path) -> Iterator[Path]:
    """Yield a folder and all below it, each once; links are followed, as cargo follows them."""
    seen: set[tuple[int, int]] = set()
    for folder, names, _ in os.walk(top, followlinks=True):
        status = Path(folder).stat()
        if (status.st_dev, status.st_ino) in seen:
            names.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        yield Path(folder)


def _runs_code(fields: dict[str, Any]) -> bool:
    """Return whether a package has dependencies, or anything that may be a build script or a macro.

    So has a manifest that only cargo can read.
    """
    if not fields or _has_dependencies(fields):
        return True
    if not fields.keys() <= _TABLES.union(_DEPENDENCIES):
        return True
    if not _table(fields, "package").keys() <= _PACKAGE or not _has_plain_members(fields):
        return True
    return not all(map(_is_plain_target, _targets(fields)))


def _targets(fields: dict[str, Any]) -> Iterator[object]:
    """Yield what is said of the library, and of each program, test, benchmark and example."""
    yield _table(fields, "lib")
    for name in ("bin", "test", "bench", "example"):
        listed = fields.get(name, [])
        # Cargo takes a list only; anything else is not known to run nothing.
        if not isinstance(listed, list):
            listed = [listed]
        yield from listed


def _is_plain_target(target: object) -> bool:
    """Return whether a target is no macro, which the compiler would load."""
    if not isinstance(target, dict) or not target.keys() <= _TARGET:
        return False
    crates = target.get("crate-type", ())
    return isinstance(crates, list | tuple) and _CRATES.issuperset(map(str, crates))


def _has_plain_members(fields: dict[str, Any]) -> bool:
    """Return whether all members of a workspace are below it, where they are looked for."""
    workspace = _table(fields, "workspace")
    if not workspace.keys() <= _WORKSPACE.union(_DEPENDENCIES):
        return False
    members = workspace.get("members", ())
    if not isinstance(members, list | tuple):
        return False
    for member in map(str, members):
        if member.startswith("/") or ".." in PurePosixPath(member).parts:
            return False
    return True


def _has_dependencies(fields: dict[str, Any]) -> bool:
    for table in _dependency_tables(fields):
        if any(table.get(name) for name in _DEPENDENCIES):
            return True

    return False


def _dependency_tables(fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the tables of a manifest that may have dependencies."""
    for table in (fields, _table(fields, "workspace"), *_table(fields, "target").values()):
        if isinstance(table, dict):
            yield table


# ----------------------------------------------------------------------------------------- packages


def _workspace(unit: CheckedFile, package: PurePosixPath) -> PurePosixPath | None:
    """Return the folder of a package's workspace: its own, or one above; None without one."""
    for folder in (package, *package.parents):
        if "workspace" in _manifest(unit, folder):
            return folder
    return None


def _edition(unit: CheckedFile, package: PurePosixPath | None) -> str:
    if package is None:
        return _NEWEST

    edition = _table(_manifest(unit, package), "package").get("edition")
    if isinstance(edition, dict):
        edition = _workspace_edition(unit, package)

    if isinstance(edition, str) and re.fullmatch("[0-9]{4}", edition):
        return edition

    return _OLDEST


def _workspace_edition(unit: CheckedFile, package: PurePosixPath) -> object:
    workspace = _workspace(unit, package)
    if workspace is None:
        return None
    shared = _table(_manifest(unit, workspace), "workspace")
    return _table(shared, "package").get("edition")


def _manifest(unit: CheckedFile, folder: PurePosixPath) -> dict[str, Any]:
    return read_toml(unit.root / folder / "Cargo.toml")


def _table(fields: dict[str, Any], key: str) -> dict[str, Any]:
    found = fields.get(key)
    if isinstance(found, dict):
        return found
    return {}
