"""What of a project's own a check would run: its tools, plugins, build scripts and settings."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.processes.project_programs import worktree_of
from holdfast.adapters.toolchains.installed_tool import locate
from holdfast.adapters.toolchains.languages import python
from holdfast.adapters.toolchains.languages.tsconfig import find_plugins
from holdfast.adapters.toolchains.registry import target_of
from holdfast.adapters.trust.code_items import item_of_file, item_of_text
from holdfast.adapters.trust.command_code import files_of_command, program_of_command
from holdfast.adapters.trust.mentioned_files import with_mentioned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from holdfast.vocab.diagnostics import Target
    from holdfast.vocab.trust import CodeItem, CodeKind

_TOOLS: Mapping[Target, tuple[str, ...]] = {
    "python": ("python3", "mypy", "pyright", "ruff"),
    "javascript": ("node", "tsc"),
    "typescript": ("node", "tsc"),
    "c": ("gcc", "g++"),
    "cpp": ("gcc", "g++"),
    "rust": ("rustc", "cargo"),
    "java": ("javac",),
    "go": ("go",),
}
_STARTUP = ("sitecustomize.py", "usercustomize.py", "*.pth")
"""What Python runs when it starts, in the packages of a virtual environment."""


class OwnCode:
    """The code of the project at a root; what is read once is kept."""

    def __init__(self, root: Path) -> None:
        """Look below a root."""
        self._root = Path(os.path.realpath(root))
        self._of_folders: dict[tuple[str, Target], tuple[CodeItem, ...]] = {}

    def of_file(self, path: str, target: Target | None = None) -> tuple[CodeItem, ...]:
        """Return what the check of a file by its language would run."""
        language = target or target_of(path)
        if language is None:
            return ()

        key = str(PurePosixPath(path).parent), language
        if key not in self._of_folders:
            found = self._find(path, language)
            self._of_folders[key] = tuple(dict.fromkeys(found))

        return self._of_folders[key]

    def of_command(self, command: str) -> tuple[CodeItem, ...]:
        """Return what of the project a command would run; raise ValueError on an open quote."""
        found: list[CodeItem] = []
        program = program_of_command(command, self._root)
        if program is not None:
            found += self._tool(program)

        for kind, path, text in files_of_command(command, self._root):
            if text is None:
                found.append(item_of_file(self._root, path, kind))
            else:
                found.append(item_of_text(path, kind, text))

        return tuple(dict.fromkeys(found))

    def _find(self, path: str, language: Target) -> Iterator[CodeItem]:
        for name in _TOOLS.get(language, ()):
            program = locate(name, self._root, path, own_code=True)
            if program is not None:
                yield from self._tool(program)

        if language == "python":
            yield from self._python(path)
        elif language == "rust":
            # Here: most projects are in another language.
            from holdfast.adapters.toolchains.languages.rust import build_files  # noqa: PLC0415 - see above

            for file in build_files(self._root, path):
                yield from self._with_mentioned(file, "build")
        elif language in {"javascript", "typescript"}:
            for config, plugins in find_plugins(self._root, path):
                yield item_of_text(str(config), "configuration", plugins)

    def _tool(self, program: str) -> Iterator[CodeItem]:
        """Yield a program, if it is the project's, and what Python runs before it."""
        worktree = worktree_of(program, self._root)
        if worktree is None:
            return
        yield item_of_file(worktree, os.path.relpath(program, worktree), "tool")
        yield from self._venv(worktree, Path(program).parents[1])

    def _venv(self, worktree: Path, folder: Path) -> Iterator[CodeItem]:
        """Yield what decides what the Python of a virtual environment runs when it starts."""
        config = folder / "pyvenv.cfg"
        if not config.is_file():
            return

        yield item_of_file(worktree, os.path.relpath(config, worktree), "configuration")
        libraries = ["lib"]
        # It is usually a link to `lib`.
        if (folder / "lib64").resolve() != (folder / "lib").resolve():
            libraries.append("lib64")

        for library, pattern in product(libraries, _STARTUP):
            for file in sorted((folder / library).glob(f"python*/site-packages/{pattern}")):
                yield item_of_file(worktree, os.path.relpath(file, worktree), "plugin")

    def _with_mentioned(self, path: str, kind: CodeKind) -> Iterator[CodeItem]:
        """Yield a file that a tool runs or reads, and the files that the code in it brings in."""
        files: Iterable[str] = [path]
        if path.endswith((".py", ".rs")):
            files = with_mentioned(self._root, path)
        for file in files:
            yield item_of_file(self._root, file, kind)

    def _python(self, path: str) -> Iterator[CodeItem]:
        own = python.project_python(self._root)
        if own is not None:
            yield from self._tool(own)

        mypy = python.find_mypy_config(self._root, path)
        if mypy is not None and python.mypy_code(mypy):
            yield item_of_text(str(mypy.file), "configuration", python.mypy_code(mypy))
            for plugin in python.mypy_plugins(self._root, mypy):
                yield from self._with_mentioned(plugin, "plugin")

        pyright = python.find_pyright_config(self._root, path)
        if pyright is not None and python.pyright_code(pyright):
            yield item_of_text(str(pyright.file), "configuration", python.pyright_code(pyright))
