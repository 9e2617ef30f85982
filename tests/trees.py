"""The files of a folder, for tests that compare all of them."""

from __future__ import annotations

from pathlib import Path

Tree = dict[str, tuple[str, int, bytes]]


def tree_of(root: Path) -> Tree:
    """Return kind, permissions and bytes of each file, but for git's own."""
    files: Tree = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if ".git" in name.split("/"):
            continue
        if path.is_symlink():
            files[name] = ("link", 0, bytes(path.readlink()))
        elif path.is_file():
            files[name] = ("file", path.stat().st_mode & 0o777, path.read_bytes())
    return files
