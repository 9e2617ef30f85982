"""The program that runs another program without the rights that Landlock and seccomp take.

Its arguments are the number of a file descriptor with the plan as JSON, and the words to run. It
waits for that program, and then ends all processes that this has left: as their reaper it is the
parent of those that lost theirs, whatever group, session and environment they have.
"""

import base64
import ctypes
import json
import os
import select
import signal
import struct
import sys
import time
from typing import Any, Dict, List  # noqa: UP035 - any Python 3 may run this

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
NO_NEW_PRIVILEGES, SET_SECCOMP, DROP_CAPABILITY, SET_REAPER = 38, 22, 24, 36
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
TRIES = 1000
"""How often the processes that are left are looked for: each may have started another one."""
PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals for the group of the program, which this process is in too."""
ABSTRACT_SOCKETS_AND_SIGNALS = 3

libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Read the plan, start the program, and end what is left of it."""
    number, *words = sys.argv[1:]
    with os.fdopen(int(number), "rb") as file:
        plan = json.load(file)

    libc.prctl(SET_REAPER, 1, 0, 0, 0)
    # Before the fork, so that this process is woken by the end of its first child.
    woken = wake_by_children()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    program = os.fork()
    if program == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(plan["control"])
        run(plan, words)

    os.close(plan["done"])
    let_go_of_files()
    code = wait_for(program, woken, plan["control"])
    end_children()
    os._exit(code)


def run(plan: Dict[str, Any], words: List[str]) -> None:  # noqa: UP006 - any Python 3 may run this
    """Give up the rights, and become the program."""
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


def wake_by_children() -> int:
    """Return a descriptor that can be read when a child has ended."""
    woken, wakes = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return woken


def let_go_of_files() -> None:
    """Close the input and the output: their end is that of the program."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)


def wait_for(program: int, woken: int, control: int) -> int:
    """Return the exit code of the program, by a signal 128 and its number.

    Return as well when nobody holds the other end of the control pipe: the program is to be ended.
    """
    while True:
        ready, _, _ = select.select([woken, control], [], [])
        if woken in ready:
            os.read(woken, 4096)
        code = reap(program)
        if code is not None:
            return int(code)
        if control in ready:
            return 128 + signal.SIGKILL


def reap(program: int) -> Any:
    """Reap the children that have ended; return the exit code of the program, or None."""
    code = None
    while True:
        try:
            number, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if number == 0:
            return code
        if number == program:
            ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            code = 128 + ended_by if ended_by else os.WEXITSTATUS(status)


def end_children() -> None:
    """End all processes below this one: an orphan becomes a child of this process."""
    for _ in range(TRIES):
        for number in children():
            try:
                os.kill(number, signal.SIGKILL)
            except OSError:
                continue
        reap(0)
        if not has_children():
            return
        time.sleep(0.005)


def has_children() -> bool:
    """Return whether this process has a child that was not reaped."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def children() -> List[int]:  # noqa: UP006 - any Python 3 may run this
    """Return the numbers of the children of this process."""
    if not has_children():
        return []

    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/{}/stat".format(name), "rb") as file:  # noqa: UP032 - any Python 3
                parent = file.read().rpartition(b")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == os.getpid():
            found.append(int(name))

    return found


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
