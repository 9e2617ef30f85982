"""What the sandbox forbade, found in the output of a command that failed.

The system reports only an error number to the program, which prints it in words. So this explains;
it enforces nothing.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.adapters.processes.child_process import ProcessEnded
    from holdfast.adapters.processes.sandbox.layout import ConfinedProcess
    from holdfast.adapters.processes.sandbox.view import View

_NOT_WRITABLE = lazy_pattern(r"read-only file system|EROFS|could not lock config", re.IGNORECASE)
_REFUSED = lazy_pattern(
    r"permission denied|operation not permitted|resource busy|EACCES|EPERM|EBUSY", re.IGNORECASE
)
_MISSING = lazy_pattern(r"no such file or directory|not found|ENOENT", re.IGNORECASE)
_NO_NETWORK = lazy_pattern(
    r"could not resolve host|name resolution|name or service not known|network is unreachable|"
    r"EAI_AGAIN|getaddrinfo|ENETUNREACH|no address associated with hostname|"
    r"dns error|unable to resolve host|couldn't connect to server",
    re.IGNORECASE,
)
_SOCKET = lazy_pattern(r"socket", re.IGNORECASE)
_WORD = lazy_pattern(r"[^\s'\"`:,;()<>|\u2018\u2019]+")
_MOST_LINES = 200

_ALL = 'ask for it with access="all"'
_NETWORK = 'the network is off here; ask for it with access="network".'
_UNASKED = f"a command that runs unasked can change nothing; {_ALL}."
_OUTSIDE = f"writing outside the project, or to .git and .holdfast, is not allowed here; {_ALL}."
_GIT = (
    "a git command may not write here to settings and hooks (config, hooks, info in .git), to git "
    "directories of submodules and other worktrees (modules, worktrees in .git), to .holdfast, or "
    f"outside the project; {_ALL}."
)


def explain_failure(output: str, process: ConfinedProcess, view: View) -> str:
    """Return a sentence about what the sandbox forbade; "" if nothing in the output shows it."""
    lines = output.splitlines()[-_MOST_LINES:]
    for line in lines:
        found = _explain(line, process, view)
        if found:
            return found
    return ""


def explain_restoration(paths: Sequence[str], process: ConfinedProcess) -> str:
    """Return a sentence about paths that were put back when a process had ended."""
    return (
        f"it may not change {_names(paths, process)}, which was put back as it was before; {_ALL}."
    )


def explain_stop(ended: ProcessEnded, process: ConfinedProcess) -> str:
    """Return a sentence about a file that was replaced, so that a mount did not protect it."""
    name = _names([ended.stopped_for], process)
    sentence = (
        f"{name} was replaced by another program while the command ran, and was no longer kept "
        "from it. So the command was stopped; run it again."
    )
    if ended.put_back:
        names = _names(ended.put_back, process)
        sentence += f" {names} was put back as it was before; what was there is {names}.replaced."
    return sentence


def _names(paths: Sequence[str], process: ConfinedProcess) -> str:
    root = os.path.realpath(process.root)
    return " and ".join(os.path.relpath(path, root) for path in paths)


def _explain(line: str, process: ConfinedProcess, view: View) -> str:
    not_writable = _not_writable(process)
    if _NOT_WRITABLE.search(line):
        return not_writable
    if not process.network and _is_about_network(line):
        return _NETWORK

    refused = _REFUSED.search(line) is not None
    if not refused and not _MISSING.search(line):
        return ""

    for path in _paths(line, process.cwd):
        if _is_hidden(path, view):
            return f"{path} is hidden here; {_ALL}."
        if refused and _is_kept_from_writing(path, view):
            return not_writable

    return ""


def _not_writable(process: ConfinedProcess) -> str:
    if process.level == "read":
        return _UNASKED
    return _GIT if process.git == "write" else _OUTSIDE


def _is_hidden(path: str, view: View) -> bool:
    """Return whether there is something at a path that the process does not see."""
    if view.access_of(os.path.realpath(path)) not in {"hidden", "masked"}:
        return False
    return os.path.lexists(path)


def _is_kept_from_writing(path: str, view: View) -> bool:
    """Return whether we could write to a path, and the process could not."""
    if view.access_of(os.path.realpath(path)) == "write":
        return False
    if os.path.lexists(path):
        return os.access(path, os.W_OK)
    return os.access(os.path.dirname(path), os.W_OK)


def _is_about_network(line: str) -> bool:
    if _NO_NETWORK.search(line):
        return True
    return bool(_SOCKET.search(line) and _REFUSED.search(line))


def _paths(line: str, cwd: str) -> Iterator[str]:
    """Yield the paths that a line may name, the last one first: a line begins with the program."""
    for word in reversed(_WORD.findall(line)):
        name = word.rstrip(".")
        path = os.path.normpath(os.path.join(cwd, name))
        if name and (name.startswith("/") or os.path.lexists(path)):
            yield path
