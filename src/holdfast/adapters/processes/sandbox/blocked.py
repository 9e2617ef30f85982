"""What the sandbox forbade, found in the output of a command that failed.

The system reports only an error number to the program, which prints it in words. So this explains;
it enforces nothing.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.adapters.processes.sandbox.layout import ConfinedProcess
    from holdfast.adapters.processes.sandbox.view import View

_NOT_WRITABLE = re.compile(r"read-only file system|EROFS", re.IGNORECASE)
_REFUSED = re.compile(r"permission denied|operation not permitted|EACCES|EPERM", re.IGNORECASE)
_MISSING = re.compile(r"no such file or directory|not found|ENOENT", re.IGNORECASE)
_NO_NETWORK = re.compile(
    r"could not resolve host|name resolution|name or service not known|network is unreachable|"
    r"EAI_AGAIN|getaddrinfo|ENETUNREACH|no address associated with hostname|"
    r"dns error|unable to resolve host|couldn't connect to server",
    re.IGNORECASE,
)
_SOCKET = re.compile(r"socket", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w/.])/[^\s'\"`:,;()<>|\u2018\u2019]+")
_MOST_LINES = 200

_ALL = 'ask for it with access="all"'
_NETWORK = 'the network is off here; ask for it with access="network".'
_UNASKED = f"a command that runs unasked can change nothing; {_ALL}."
_OUTSIDE = f"writing outside the project, or to .git and .holdfast, is not allowed here; {_ALL}."


def explain_failure(output: str, process: ConfinedProcess, view: View) -> str:
    """Return a sentence about what the sandbox forbade; "" if nothing in the output shows it."""
    lines = output.splitlines()[-_MOST_LINES:]
    for line in lines:
        found = _explain(line, process, view)
        if found:
            return found
    return ""


def _explain(line: str, process: ConfinedProcess, view: View) -> str:
    if _NOT_WRITABLE.search(line):
        return _UNASKED if process.level == "read" else _OUTSIDE
    if not process.network and _is_about_network(line):
        return _NETWORK
    refused = _REFUSED.search(line) is not None
    if not refused and not _MISSING.search(line):
        return ""
    for path in _paths(line):
        access = view.access_of(os.path.realpath(path))
        if access in {"hidden", "masked"} and os.path.lexists(path):
            return f"{path} is hidden here; {_ALL}."
        if refused and access != "write" and _could_be_written(path):
            return _UNASKED if process.level == "read" else _OUTSIDE
    return ""


def _is_about_network(line: str) -> bool:
    if _NO_NETWORK.search(line):
        return True
    return bool(_SOCKET.search(line) and _REFUSED.search(line))


def _could_be_written(path: str) -> bool:
    """Return whether we could write there: then it was the sandbox that refused it."""
    if os.path.lexists(path):
        return os.access(path, os.W_OK)
    return os.access(os.path.dirname(path), os.W_OK)


def _paths(line: str) -> Iterator[str]:
    for match in _PATH.finditer(line):
        yield match[0].rstrip(".")
