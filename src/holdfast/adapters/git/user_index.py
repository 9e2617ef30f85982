"""The user's index: restore what was staged in a checkpoint. Only `restore --index` writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git, GitFailed, to_bytes

if TYPE_CHECKING:
    from holdfast.adapters.git.repository import PrivateRepository

_ABSENT = "000000"
_GITLINK = "160000"


def restore_staged(repository: PrivateRepository, private: Git, tree: str) -> str | None:
    """Make the user's index have the files of a tree; return why that could not be done.

    Stat data of entries that stay are kept, so that the next `git status` is quick.
    """
    user = repository.user
    if user is None:
        return "there is no repository of the user any more"
    git = user.git(private.deadline)
    try:
        entries = _differing(
            git.with_variables(alternate_object_directories=repository.objects), tree
        )
        _copy_objects(private, git, [oid for mode, oid, _ in entries if mode != _GITLINK])
        lines = [to_bytes(f"{mode} {oid}\t{path}\0") for mode, oid, path in entries]
        if lines:
            git.run(
                "update-index", "--add", "--replace", "-z", "--index-info", stdin=b"".join(lines)
            )
    except GitFailed as error:
        return str(error)
    return None


def _differing(git: Git, tree: str) -> list[tuple[str, str, str]]:
    """Return mode, object and path of the tree's entries that the index has not so.

    A mode of zeros removes the entry.
    """
    options = ("--cached", "--raw", "-z", "--no-renames", "--ignore-submodules=none", "-R")
    fields = git.run("diff-index", *options, tree).split(b"\0")
    entries: dict[str, tuple[str, str, str]] = {}
    for head, name in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, oid, _ = head.decode("ascii").removeprefix(":").split(" ")
        path = name.decode("utf-8", "surrogateescape")
        entries[path] = ("0" if mode == _ABSENT else mode, oid, path)
    return list(entries.values())


def _copy_objects(private: Git, user: Git, oids: list[str]) -> None:
    """Copy blobs from the private repository into the user's."""
    wanted = [oid for oid in oids if set(oid) != {"0"}]
    if not wanted:
        return
    stdin = "".join(f"{oid}\n" for oid in wanted).encode("ascii")
    pack = private.run("pack-objects", "--stdout", "-q", stdin=stdin)
    user.run("unpack-objects", "-q", stdin=pack)
