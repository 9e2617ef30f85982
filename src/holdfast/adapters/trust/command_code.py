"""What of a project a command runs: its program, its script, and what the program reads."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from glob import glob
from itertools import islice, pairwise, product
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.trust.makefiles import Makefiles
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from holdfast.vocab.trust import CodeKind

CodeFile: TypeAlias = "tuple[CodeKind, str, str | None]"
"""The kind and the path of a file, and its text if only a part of the file counts."""

_WORD = lazy_pattern(r"[^\s'\"`;|&()<>=,]+")
_VARIABLE = lazy_pattern(r"\$(?:\w+|\{[^}]*\})")
_PACKAGE_MANAGERS = frozenset({"npm", "npx", "pnpm", "yarn", "bun"})
_READS: Mapping[str, tuple[str, ...]] = {
    "pytest": ("pytest.ini", ".pytest.ini", "tox.ini"),
    "tox": ("tox.ini", "setup.cfg", "pyproject.toml"),
    "nox": ("noxfile.py",),
    "mypy": ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"),
    "cargo": ("build.rs", "Cargo.toml", "Cargo.lock", ".cargo/config.toml", "rust-toolchain.toml"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "rake": ("Rakefile",),
    "invoke": ("tasks.py",),
    "meson": ("meson.build",),
    "cmake": ("CMakeLists.txt",),
    "ctest": ("CMakeLists.txt", "CTestTestfile.cmake"),
    "gradle": ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    "gradlew": ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    "mvn": ("pom.xml",),
    "bazel": ("MODULE.bazel", "WORKSPACE", ".bazelrc"),
    "pre-commit": (".pre-commit-config.yaml",),
}
"""The files in the root that a program runs, or that say what it runs."""
_PATTERN = lazy_pattern(r"[*?\[]")
_MOST_MATCHES = 300
_ESLINT = ("eslint.config.*", ".eslintrc", ".eslintrc.*")
_MOST_CONFTESTS = 200


def program_of_command(command: str, root: Path) -> str | None:
    """Return the program of a command: in the project, or on the PATH; None if it is not there."""
    words = shlex.split(command)
    if not words:
        return None
    if "/" in words[0]:
        return os.path.normpath(root / words[0])
    return shutil.which(words[0])


def files_of_command(command: str, root: Path) -> Iterator[CodeFile]:
    """Yield the files of the project that a command runs, or that say what it runs.

    Each word counts, whatever is before it: nobody knows all programs that start another one. So do
    the words in a word, which may be a script, and files in a folder that a word names.
    """
    seen: set[str] = set()
    for kind, path, text in _all_files(shlex.split(command), root):
        if path not in seen:
            seen.add(path)
            yield kind, path, text


def files_in_tree(command: str, names: Collection[str]) -> Iterator[tuple[CodeKind, str]]:
    """Yield the kind and the path of the files that words of a command name, of a list of files."""
    tokens = shlex.split(command)
    words = list(_words_in(tokens))
    seen: set[str] = set()
    for folder, word in product(("", *words), words):
        path = os.path.normpath(f"{folder}/{word}".lstrip("/"))
        if path in names and path not in seen:
            seen.add(path)
            is_program = "/" in tokens[0] and path == os.path.normpath(tokens[0])
            yield "tool" if is_program else "plugin", path


def _all_files(tokens: Sequence[str], root: Path) -> Iterator[CodeFile]:
    words = list(_words_in(tokens))
    folders = list(_folders_among(words, root))
    if tokens and "/" in tokens[0]:
        for path in _files_named(tokens[0], [PurePosixPath()], root):
            yield "tool", path, None

    names = dict.fromkeys(PurePosixPath(word).name for word in words)
    if not names.keys().isdisjoint({"make", "gmake"}):
        for path in Makefiles(root, folders).of_command(words):
            yield "build", path, None

    for folder, name in product(folders, names):
        yield from _read_by(name, folder, root)

    yield from _plugins(words, folders, root)


def _plugins(
    words: Sequence[str], folders: Sequence[PurePosixPath], root: Path
) -> Iterator[CodeFile]:
    for word in words:
        for path in _files_named(word, folders, root):
            yield "plugin", path, None

    for module in _modules(words):
        for path in _module_files(module, folders, root):
            yield "plugin", path, None


def _words_in(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command, those inside a word too, and what follows a short option."""
    for token in tokens:
        yield token
        if re.match("-[A-Za-z].", token):
            yield token[2:]
        words = _WORD.findall(_VARIABLE.sub(" ", token))
        if words != [token]:
            yield from words


def _folders_among(words: Sequence[str], root: Path) -> Iterator[PurePosixPath]:
    """Yield the root, and each folder below it that a word names: `make -C sub`."""
    found = {PurePosixPath(): None}
    for word in words:
        path = _below_root(word, PurePosixPath(), root)
        # Path.is_dir raises for a word that is too long for a path.
        if path is not None and os.path.isdir(root / path):  # noqa: PTH112 - see above
            found[PurePosixPath(path)] = None
    yield from found


def _files_named(word: str, folders: Sequence[PurePosixPath], root: Path) -> Iterator[str]:
    for folder in folders:
        path = _below_root(word, folder, root)
        if path is not None and _PATTERN.search(path):
            yield from islice(_matching(path, root), _MOST_MATCHES)
        elif path is not None and os.path.isfile(root / path):  # noqa: PTH113 - as in `_folders_among`
            yield path


def _matching(pattern: str, root: Path) -> Iterator[str]:
    """Yield the files that a pattern of a shell stands for."""
    for path in sorted(glob(pattern, root_dir=root)):  # noqa: PTH207 - Path.glob raises for some words
        if (root / path).is_file():
            yield path


def _below_root(word: str, folder: PurePosixPath, root: Path) -> str | None:
    """Return the path that a word is in a folder, relative to the root; None if it leads out."""
    top = f"{root}/"
    if word.startswith(top):
        word, folder = word.removeprefix(top), PurePosixPath()
    # What is left of `$PWD/run.sh` begins with a slash.
    path = os.path.normpath(folder / word.lstrip("/"))
    if not word or "\0" in path or path.split("/")[0] == "..":
        return None
    return path


def _modules(words: Sequence[str]) -> Iterator[str]:
    """Yield the modules that `python -m` is to run."""
    for option, module in pairwise(words):
        if option == "-m":
            yield module
        elif option.startswith("-m"):
            yield option[2:]


def _read_by(name: str, folder: PurePosixPath, root: Path) -> Iterator[CodeFile]:
    """Yield what a program reads in a folder that says what it runs."""
    here = root / folder
    for file in _READS.get(name, ()):
        if (here / file).is_file():
            yield "configuration", str(folder / file), None

    if name in {"pytest", "py.test"}:
        for conftest in islice(here.rglob("conftest.py"), _MOST_CONFTESTS):
            yield "plugin", str(conftest.relative_to(root)), None
    elif name == "eslint":
        for pattern in _ESLINT:
            for config in sorted(here.glob(pattern)):
                yield "configuration", str(folder / config.name), None
    elif name in _PACKAGE_MANAGERS:
        yield from _scripts(folder, root)


def _module_files(module: str, folders: Sequence[PurePosixPath], root: Path) -> Iterator[str]:
    """Yield the files of the project that `python -m` runs for a module."""
    path = module.replace(".", "/")
    for file in (f"{path}.py", f"{path}/__init__.py", f"{path}/__main__.py"):
        yield from _files_named(file, folders, root)


def _scripts(folder: PurePosixPath, root: Path) -> Iterator[CodeFile]:
    """Yield the scripts of package.json: its other fields change with each release."""
    try:
        package = json.loads(read_plain(root / folder / "package.json"))
    except (OSError, ValueError, RecursionError):
        return

    if isinstance(package, dict):
        scripts = json.dumps(package.get("scripts"), indent=1, sort_keys=True)
        yield "build", str(folder / "package.json"), f"{scripts}\n"
