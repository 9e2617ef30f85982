"""What of a project a command runs: its program, its script, and what the program reads."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from holdfast.adapters.plain_file import read_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from holdfast.vocab.trust import CodeKind

CodeFile: TypeAlias = "tuple[CodeKind, str, str | None]"
"""The kind and the path of a file, and its text if only a part of the file counts."""

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_MAKEFILE_OPTIONS = frozenset({"-f", "--file", "--makefile"})
_MAKEFILE_OPTION = re.compile("-f|--(?:make)?file=")
_INCLUDE = re.compile(r"^[-s]?include[ \t]+(.+)$", re.MULTILINE)
_WRAPPERS = frozenset({"env", "nice", "time", "timeout", "uv", "poetry", "pdm", "hatch", "pipenv"})
_INTERPRETERS = re.compile(
    r"(?:ba|da|z|k)?sh|python[0-9.]*|node|deno|bun|ruby|perl|php|pwsh|Rscript|lua"
)
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
    """Yield the files of the project that a command runs, or that say what it runs."""
    words = _without_wrappers(shlex.split(command))
    if not words:
        return

    name = PurePosixPath(words[0]).name
    yield from _named_scripts(words, root)
    module = _module(words)
    if _INTERPRETERS.fullmatch(name) and module:
        name = module
        yield from _module_files(module, root)

    if name in {"make", "gmake"}:
        yield from _makefiles(words, root)
    yield from _read_by(name, root)


def _without_wrappers(words: list[str]) -> list[str]:
    """Return a command without the programs that only start another one."""
    while words and PurePosixPath(words[0]).name in _WRAPPERS:
        words = words[1:]
        while words and _is_option_of_wrapper(words[0]):
            words = words[1:]
    return words


def _is_option_of_wrapper(word: str) -> bool:
    return word == "run" or word.startswith("-") or "=" in word or word.isdecimal()


def _named_scripts(words: Sequence[str], root: Path) -> Iterator[CodeFile]:
    """Yield a program in the project, and the first script that an interpreter is to run."""
    if "/" in words[0] and _is_in_project(words[0], root):
        yield "tool", os.path.normpath(words[0]), None

    if not _INTERPRETERS.fullmatch(PurePosixPath(words[0]).name):
        return

    for word in words[1:]:
        if not word.startswith("-") and _is_in_project(word, root):
            yield "plugin", os.path.normpath(word), None
            return


def _is_in_project(word: str, root: Path) -> bool:
    return not word.startswith("/") and (root / word).is_file()


def _module(words: Sequence[str]) -> str:
    """Return the module that `python -m` is to run; "" if there is none."""
    for option, module in pairwise(words):
        if option == "-m":
            return module
    return ""


def _read_by(name: str, root: Path) -> Iterator[CodeFile]:
    for file in _READS.get(name, ()):
        if (root / file).is_file():
            yield "configuration", file, None

    if name in {"pytest", "py.test"}:
        for conftest in islice(root.rglob("conftest.py"), _MOST_CONFTESTS):
            yield "plugin", str(conftest.relative_to(root)), None
    elif name == "eslint":
        for pattern in _ESLINT:
            for config in sorted(root.glob(pattern)):
                yield "configuration", config.name, None
    elif name in _PACKAGE_MANAGERS:
        yield from _scripts(root)


def _module_files(module: str, root: Path) -> Iterator[CodeFile]:
    """Yield the files of the project that `python -m` runs for a module."""
    path = module.replace(".", "/")
    for file in (f"{path}.py", f"{path}/__init__.py", f"{path}/__main__.py"):
        if (root / file).is_file():
            yield "plugin", file, None


def _makefiles(words: Sequence[str], root: Path) -> Iterator[CodeFile]:
    """Yield the makefiles that make reads: named ones or the usual one, and what these include."""
    found = list(_named_makefiles(words)) or _usual_makefile(root)
    for name in found:
        if not _is_in_project(name, root):
            continue
        yield "build", os.path.normpath(name), None
        for included in _included_by(root / name):
            if included not in found:
                found.append(included)


def _named_makefiles(words: Sequence[str]) -> Iterator[str]:
    """Yield the files that the options of make name: `-f x`, `-fx`, `--file=x`."""
    for option, word in pairwise((*words, "")):
        if option in _MAKEFILE_OPTIONS:
            yield word
            continue
        named = _MAKEFILE_OPTION.match(option)
        if named is not None:
            yield option[named.end() :]


def _usual_makefile(root: Path) -> list[str]:
    usual = (name for name in MAKEFILES if (root / name).is_file())
    return list(islice(usual, 1))


def _included_by(makefile: Path) -> Iterator[str]:
    """Yield what a makefile includes by a plain name."""
    text = ""
    with suppress(OSError):
        text = read_plain(makefile).decode("utf-8", "replace")
    for included in _INCLUDE.findall(text):
        yield from included.split()


def _scripts(root: Path) -> Iterator[CodeFile]:
    """Yield the scripts of package.json: its other fields change with each release."""
    try:
        package = json.loads(read_plain(root / "package.json"))
    except (OSError, ValueError, RecursionError):
        return

    if isinstance(package, dict):
        scripts = json.dumps(package.get("scripts"), indent=1, sort_keys=True)
        yield "build", "package.json", f"{scripts}\n"
