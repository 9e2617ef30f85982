"""The program that gives up rights by Landlock and seccomp, and then runs another program.

Its arguments are the number of a file descriptor with the plan as JSON, and the words to run.
"""

import base64
import ctypes
import json
import os
import struct
import sys
from typing import Any, Dict, List  # noqa: UP035 - any Python 3 may run this

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
NO_NEW_PRIVILEGES, SET_SECCOMP, DROP_CAPABILITY = 38, 22, 24
CAPABILITIES = 64
KEPT_CAPABILITIES = (0, 1, 3, 4)
"""To change owner, modes and content of files of others: root works in projects of other users."""
SECCOMP_FILTER = 2
PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
FIRST_VERSION = (1 << 13) - 1
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
TCP = 3
ABSTRACT_SOCKETS_AND_SIGNALS = 3

libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Read the plan, give up the rights, and run the program."""
    number, *words = sys.argv[1:]
    with os.fdopen(int(number), "rb") as file:
        plan = json.load(file)

    try:
        restrict(plan)
    except OSError as error:
        sys.exit("holdfast: landlock: {}".format(error.strerror))  # noqa: UP032 - any Python 3

    os.write(plan["done"], b"1")
    os.close(plan["done"])
    try:
        os.execvp(words[0], words)  # noqa: S606 - without a shell, as wanted
    except OSError as error:
        sys.stderr.write("{}: {}\n".format(words[0], error.strerror))  # noqa: UP032 - as above
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


def restrict(plan: Dict[str, Any]) -> None:  # noqa: UP006 - any Python 3 may run this
    """Give up the rights that the plan does not name."""
    abi = plan["abi"]
    handled = FIRST_VERSION
    for right, since in ((REFER, 2), (TRUNCATE, 3), (IOCTL_DEV, 5)):
        if abi >= since:
            handled |= right

    parts = [handled]
    if abi >= 4:
        parts.append(0 if plan["network"] else TCP)

    if abi >= 6:
        parts.append(ABSTRACT_SOCKETS_AND_SIGNALS)

    drop_capabilities()
    check(libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    attributes = struct.pack("={}Q".format(len(parts)), *parts)  # noqa: UP032 - as above
    ruleset = call(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    add_rights(ruleset, handled, plan["rights"])
    call(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)
    load_filter(base64.b64decode(plan["seccomp"]))


def drop_capabilities() -> None:
    """Drop what root may do beyond files: with some of it, the memory of others can be read."""
    for number in range(CAPABILITIES):
        if number not in KEPT_CAPABILITIES:
            # It fails for a number that the kernel does not know, and for a user who is not root.
            libc.prctl(DROP_CAPABILITY, number, 0, 0, 0)


def add_rights(ruleset: int, handled: int, rights: List[List[str]]) -> None:  # noqa: UP006 - as above
    """Keep these rights on files and directories."""
    kinds = {
        "list": READ_DIR,
        "read": EXECUTE | READ_FILE | READ_DIR,
        "write": handled & ~(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV),
        "device": READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | IOCTL_DEV,
    }
    for path, kind in rights:
        try:
            number = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            # It is gone, or not ours to open: then there is no right to keep.
            continue
        allowed = kinds[kind] & handled
        if not os.path.isdir(path):
            allowed &= FILE_RIGHTS
        if allowed:
            rule = struct.pack("=Qi", allowed, number)
            arguments = ctypes.c_int(PATH_BENEATH), rule, ctypes.c_uint32(0)
            call(ADD_RULE, ctypes.c_int(ruleset), *arguments)
        os.close(number)


def load_filter(program: bytes) -> None:
    """Load a filter of system calls."""
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    check(libc.prctl(SET_SECCOMP, SECCOMP_FILTER, header, 0, 0))


def call(number: int, *arguments: Any) -> int:
    """Make a system call; raise OSError if it fails."""
    return check(libc.syscall(ctypes.c_long(number), *arguments))


def check(result: int) -> int:
    """Return the result of a system call; raise OSError for a failure."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


if __name__ == "__main__":
    main()
