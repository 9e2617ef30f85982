"""Seccomp: a filter of system calls, as the kernel's BPF program.

It refuses what neither mounts nor Landlock can: sockets of other families, `io_uring`, which makes
sockets without the call `socket`, the kernel's store of keys, and, where there is no namespace for
them, the memory and the messages of System V, the queues of POSIX, limits and priorities of other
processes, and flags of inodes.
"""

from __future__ import annotations

import errno
import os
import struct
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_LOAD, _EQUAL, _AT_LEAST, _RETURN, _AND = 0x20, 0x15, 0x35, 0x06, 0x54
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
_CALL, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_X32 = 0x40000000
"""Calls from this number on are those of another calling convention of x86_64."""

_ARCHITECTURES: Mapping[str, int] = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CALLS: Mapping[str, Mapping[str, int]] = {
    "x86_64": {
        "socket": 41,
        "socketpair": 53,
        "prlimit64": 302,
        "sched_setparam": 142,
        "sched_setscheduler": 144,
        "sched_setaffinity": 203,
        "sched_setattr": 314,
        "setpriority": 141,
        "ioprio_set": 251,
        "ioctl": 16,
        "shmget": 29,
        "shmat": 30,
        "shmctl": 31,
        "semget": 64,
        "semop": 65,
        "semctl": 66,
        "msgget": 68,
        "msgsnd": 69,
        "msgrcv": 70,
        "msgctl": 71,
        "semtimedop": 220,
        "mq_open": 240,
        "mq_unlink": 241,
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
        "setxattrat": 463,
        "removexattrat": 466,
        "file_setattr": 469,
    },
    "aarch64": {
        "socket": 198,
        "socketpair": 199,
        "prlimit64": 261,
        "sched_setparam": 118,
        "sched_setscheduler": 119,
        "sched_setaffinity": 122,
        "sched_setattr": 274,
        "setpriority": 140,
        "ioprio_set": 30,
        "ioctl": 29,
        "mq_open": 180,
        "mq_unlink": 181,
        "msgget": 186,
        "msgctl": 187,
        "msgrcv": 188,
        "msgsnd": 189,
        "semget": 190,
        "semctl": 191,
        "semtimedop": 192,
        "semop": 193,
        "shmget": 194,
        "shmctl": 195,
        "shmat": 196,
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
        "setxattrat": 463,
        "removexattrat": 466,
        "file_setattr": 469,
    },
}
_ALWAYS = ("add_key", "request_key", "keyctl", "io_uring_setup")
_SHARED = (
    "shmget shmat shmctl semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open "
    "mq_unlink"
).split()
_METADATA = (
    "chmod fchmod chown fchown lchown utime utimes fchownat futimesat fchmodat utimensat fchmodat2"
).split()
_ATTRIBUTES = (
    "setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr setxattrat removexattrat "
    "file_setattr"
).split()
_OF_PROCESS = (
    "prlimit64",
    "sched_setparam",
    "sched_setscheduler",
    "sched_setaffinity",
    "sched_setattr",
)
"""Calls whose first argument is the number of the process that they change."""
_OF_KIND = {"setpriority": 0, "ioprio_set": 1}
"""Calls that change a process, a group or a user, and the number with which they mean a process."""
_FLAG_REQUESTS = (
    0x40086602,  # FS_IOC_SETFLAGS, which `chattr` uses
    0x40046602,  # the same of 32-bit programs
    0x401C5820,  # FS_IOC_FSSETXATTR
    0x40087602,  # FS_IOC_SETVERSION
    0x40086604,  # EXT4_IOC_SETVERSION
    0x800C6613,  # FS_IOC_SET_ENCRYPTION_POLICY
    0x40806685,  # FS_IOC_ENABLE_VERITY
    0x4008941A,  # BTRFS_IOC_SUBVOL_SETFLAGS
    0x40047211,  # FAT_IOCTL_SET_ATTRIBUTES
)
"""Requests of `ioctl` that change flags of an inode, also by a descriptor that can only read."""
# As Linux numbers them; `socket` takes longer to import than the rest of a sandbox.
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_SOCKET_TYPE, _STREAM, _SEQUENCE = 0xF, 1, 5

SocketScope = Literal["namespaces", "files", "none"]
"""Which sockets are harmless: all with namespaces of their own; socket files only; none."""
_Target = int | Literal["allow", "refuse", "unsupported"]
"""How many steps a jump skips, or one of the last three steps."""
_Step = tuple[int, _Target, _Target, int]
"""Operation, where to go if it holds and if not, and a value."""


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
    """Return a filter. Without `metadata` no mode, owner or time of a file can change.

    Without `truncate` no file can be cut by its path. Without namespaces no extended attribute and
    no flag of a file can change: programs that copy these go on where a file system has none.
    """
    calls = _CALLS[os.uname().machine]
    refused = list(_ALWAYS)
    if scope != "namespaces":
        refused += _SHARED

    if not metadata:
        refused += _METADATA

    if not truncate:
        refused.append("truncate")

    steps = _begin(_ARCHITECTURES[os.uname().machine])
    for number in sorted(calls[name] for name in refused if name in calls):
        steps.append((_EQUAL, "refuse", 0, number))

    if scope != "namespaces":
        numbers = sorted(calls[name] for name in _ATTRIBUTES)
        steps += [(_EQUAL, "unsupported", 0, number) for number in numbers]

    if scope == "none":
        steps += _refuse_datagram_pairs(calls["socketpair"])

    if scope != "namespaces":
        for name in _OF_PROCESS:
            steps += _only_own_process(calls[name])
        for name, kind in _OF_KIND.items():
            steps += _only_own_process_of_kind(calls[name], kind)
        steps += _refuse_flags(calls["ioctl"])

    steps += _refuse_other_families(calls["socket"], _families(scope, network))
    return _assemble(steps)


def _families(scope: SocketScope, network: bool) -> Collection[int]:  # noqa: FBT001 - one of two
    families: set[int] = set()
    if scope != "none":
        families.add(_AF_UNIX)
    if scope == "namespaces" or network:
        families |= {_AF_INET, _AF_INET6, _AF_NETLINK}
    return families


def _begin(architecture: int) -> list[_Step]:
    """Return the steps that refuse calls of another architecture, and load the call."""
    steps: list[_Step] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _CALL),
    ]
    if architecture == _ARCHITECTURES["x86_64"]:
        steps.append((_AT_LEAST, "refuse", 0, _X32))
    return steps


def _refuse_datagram_pairs(call: int) -> list[_Step]:
    """Return the steps for `socketpair`: an end of a pair for datagrams can send to any socket.

    The kernel makes a raw pair one for datagrams, so only the two types with a connection pass.
    """
    return [
        (_EQUAL, 0, 4, call),
        (_LOAD, 0, 0, _SECOND_ARGUMENT),
        (_AND, 0, 0, _SOCKET_TYPE),
        (_EQUAL, "allow", 0, _STREAM),
        (_EQUAL, "allow", "refuse", _SEQUENCE),
    ]


def _only_own_process(call: int) -> list[_Step]:
    """Return the steps for a call that changes a process: a limit of another one can end that one.

    The number 0 stands for the process itself; `ulimit`, `taskset` and the C library use it.
    """
    return [
        (_EQUAL, 0, 2, call),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUAL, "allow", "refuse", 0),
    ]


def _only_own_process_of_kind(call: int, kind: int) -> list[_Step]:
    """Return the steps for a call whose first argument says what its second one is a number of."""
    return [
        (_EQUAL, 0, 4, call),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUAL, 0, "refuse", kind),
        (_LOAD, 0, 0, _SECOND_ARGUMENT),
        (_EQUAL, "allow", "refuse", 0),
    ]


def _refuse_flags(call: int) -> list[_Step]:
    """Return the steps for `ioctl`: flags of an inode are no right that Landlock knows."""
    requests: list[_Step] = [(_EQUAL, "unsupported", 0, number) for number in _FLAG_REQUESTS]
    return [
        (_EQUAL, 0, len(requests) + 2, call),
        (_LOAD, 0, 0, _SECOND_ARGUMENT),
        *requests,
        (_EQUAL, "allow", "allow", 0),
    ]


def _refuse_other_families(call: int, families: Collection[int]) -> list[_Step]:
    """Return the last steps, for `socket`: a family that is not among these is refused."""
    steps: list[_Step] = [(_EQUAL, 0, "allow", call), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    steps += [(_EQUAL, "allow", 0, number) for number in sorted(families)]
    steps.append((_EQUAL, "refuse", "refuse", 0))
    return steps


def _assemble(steps: Collection[_Step]) -> bytes:
    """Return the program: these steps, then those that allow and refuse a call."""
    ends = {"allow": len(steps), "refuse": len(steps) + 1, "unsupported": len(steps) + 2}
    program: list[tuple[int, int, int, int]] = []
    for at, (operation, true, false, value) in enumerate(steps):
        jumps = [each if isinstance(each, int) else ends[each] - at - 1 for each in (true, false)]
        program.append((operation, jumps[0], jumps[1], value))

    program.append((_RETURN, 0, 0, _ALLOW))
    program.append((_RETURN, 0, 0, _REFUSE | errno.EPERM))
    program.append((_RETURN, 0, 0, _REFUSE | errno.ENOTSUP))
    return b"".join(struct.pack("=HBBI", *step) for step in program)
