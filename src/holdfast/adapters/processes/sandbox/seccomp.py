"""Seccomp: a filter of system calls, as the kernel's BPF program.

It refuses what neither mounts nor Landlock can: sockets of other families, `io_uring`, which makes
sockets without the call `socket`, and the kernel's store of keys.
"""

from __future__ import annotations

import errno
import os
import struct
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_CALL, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_X32 = 0x40000000
"""Calls from this number on are those of another calling convention of x86_64."""

_ARCHITECTURES: Mapping[str, int] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CALLS: Mapping[str, Mapping[str, int]] = {
    "x86_64": {
        "socket": 41,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "io_uring_setup": 425,
        "truncate": 76,
        "chmod": 90,
        "fchmod": 91,
        "chown": 92,
        "fchown": 93,
        "lchown": 94,
        "utime": 132,
        "utimes": 235,
        "setxattr": 188,
        "lsetxattr": 189,
        "fsetxattr": 190,
        "removexattr": 197,
        "lremovexattr": 198,
        "fremovexattr": 199,
        "fchownat": 260,
        "futimesat": 261,
        "fchmodat": 268,
        "utimensat": 280,
        "fchmodat2": 452,
    },
    "aarch64": {
        "socket": 198,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "io_uring_setup": 425,
        "truncate": 45,
        "fchmod": 52,
        "fchmodat": 53,
        "fchownat": 54,
        "fchown": 55,
        "setxattr": 5,
        "lsetxattr": 6,
        "fsetxattr": 7,
        "removexattr": 14,
        "lremovexattr": 15,
        "fremovexattr": 16,
        "utimensat": 88,
        "fchmodat2": 452,
    },
}
_ALWAYS = ("add_key", "request_key", "keyctl", "io_uring_setup")
_METADATA = (
    "chmod fchmod chown fchown lchown utime utimes setxattr lsetxattr fsetxattr removexattr "
    "lremovexattr fremovexattr fchownat futimesat fchmodat utimensat fchmodat2"
).split()
# As Linux numbers them; `socket` takes longer to import than the rest of a sandbox.
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16

SocketScope = Literal["namespaces", "files", "none"]
"""Which sockets are harmless: all with namespaces of their own; socket files only; none."""


def is_known_machine() -> bool:
    """Return whether filters can be made for this machine."""
    return os.uname().machine in _ARCHITECTURES


def socket_filter(
    scope: SocketScope,
    *,
    network: bool,
    metadata: bool = True,
    truncate: bool = True,
) -> bytes:
    """Return a filter. Without `metadata` no mode, owner, time or attribute of a file can change.

    Without `truncate` no file can be cut by its path.
    """
    calls = _CALLS[os.uname().machine]
    refused = list(_ALWAYS)
    if not metadata:
        refused += _METADATA

    if not truncate:
        refused.append("truncate")

    numbers = sorted(calls[name] for name in refused if name in calls)
    return _program(
        _ARCHITECTURES[os.uname().machine], numbers, calls["socket"], _families(scope, network)
    )


def _families(scope: SocketScope, network: bool) -> Collection[int]:  # noqa: FBT001 - one of two
    families: set[int] = set()
    if scope != "none":
        families.add(_AF_UNIX)
    if scope == "namespaces" or network:
        families |= {_AF_INET, _AF_INET6, _AF_NETLINK}
    return families


def _program(
    architecture: int, refused: Collection[int], socket_call: int, families: Collection[int]
) -> bytes:
    """Return the program: each refused call has a jump to the refusal at its end."""
    size = len(refused) + len(families)
    refusal = size + 9
    steps: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _CALL),
    ]
    if architecture == _ARCHITECTURES["x86_64"]:
        steps.append((_AT_LEAST, _jump(steps, refusal), 0, _X32))
    else:
        steps.append((_EQUAL, 0, 0, 0))

    for number in refused:
        steps.append((_EQUAL, _jump(steps, refusal), 0, number))

    steps.append((_EQUAL, 0, _jump(steps, refusal - 1), socket_call))
    steps.append((_LOAD, 0, 0, _FIRST_ARGUMENT))
    for number in families:
        steps.append((_EQUAL, _jump(steps, refusal - 1), 0, number))

    # A family that is not among them falls through to the refusal.
    steps.append((_EQUAL, 1, 1, 0))
    steps.append((_RETURN, 0, 0, _ALLOW))
    steps.append((_RETURN, 0, 0, _REFUSE | errno.EPERM))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _jump(steps: Collection[object], target: int) -> int:
    """Return how many steps lie between the next step and the target."""
    return target - len(steps) - 1
