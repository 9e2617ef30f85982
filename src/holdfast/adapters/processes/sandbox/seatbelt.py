"""Seatbelt: a profile for `sandbox-exec`, the sandbox of macOS.

In a profile the last rule that matches decides. So outer paths come first, as in a view.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.processes.sandbox.launch import Launch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.adapters.processes.sandbox.layout import ConfinedProcess, Layout
    from holdfast.adapters.processes.sandbox.view import PathAccess, View

_PROGRAM = "/usr/bin/sandbox-exec"
# Other processes act for a caller over these: the keychain, the pasteboard, launchd, AppleScript.
_SERVICES = (
    "com.apple.SecurityServer",
    "com.apple.securityd",
    "com.apple.securityd.xpc",
    "com.apple.secd",
    "com.apple.pasteboard.1",
    "com.apple.coreservices.launchservicesd",
    "com.apple.coreservices.appleevents",
)
_DEVICES = '(literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/")'
_BEGIN = ("(version 1)", "(allow default)", "(deny file-write*)", "(deny appleevent-send)")


class Seatbelt:
    """Starts processes by `sandbox-exec`."""

    @contextmanager
    def prepare(self, process: ConfinedProcess, layout: Layout) -> Iterator[Launch]:
        """Return the launch of a process, with a private directory for temporary files."""
        temporary = os.path.realpath(tempfile.mkdtemp(prefix="holdfast-private-"))
        layout.view.set(temporary, "write")
        text = profile(layout.view, network=process.network, kept_out=layout.kept_out)
        try:
            yield Launch(
                [_PROGRAM, "-p", text, "--", *process.argv], variables={"TMPDIR": temporary}
            )
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def profile(view: View, *, network: bool, kept_out: Sequence[str] = ()) -> str:
    """Return the profile of a view."""
    lines = [*_BEGIN, f"(allow file-write* {_DEVICES})"]
    names = " ".join(f'(global-name "{name}")' for name in _SERVICES)
    lines.append(f"(deny mach-lookup {names})")
    for path, access in view.ordered():
        lines += _rules(path, access)

    for path in kept_out:
        lines.append(f"(deny file-write* (subpath {_quoted(path)}))")

    if not network:
        lines.append("(deny network*)")

    return "\n".join(lines)


def _rules(path: str, access: PathAccess) -> list[str]:
    place = f"(subpath {_quoted(path)})"
    match access:
        case "write":
            return [f"(allow file-read* file-write* {place})"]
        case "read" | "cache":
            return [f"(allow file-read* {place})", f"(deny file-write* {place})"]
        case "hidden" | "masked":
            # The metadata stays, or no path below it could be resolved.
            return [f"(deny file-read-data file-write* {place})"]


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
