"""The program that runs another program which can open files for writing only below some paths.

That program cannot connect to abstract sockets outside the sandbox either: with the network, it
shares the namespace that they are in.

Its arguments are the number of a file descriptor with these paths, each ended by a NUL, and the
words to run. It runs in the namespaces of bubblewrap, before every command: it imports little. A
script for the same Python it runs itself: a second start would take as long as the script.
"""

import ctypes
import os
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION = 1
PATH_BENEATH = 1
WRITE_FILE, REFER = 1 << 1, 1 << 13
"""To open a file for writing; to move files between directories, refused without a rule."""
TCP_PORTS = 0
"""No right to a port is given up."""
ABSTRACT_SOCKETS = 1
WITH_SCOPES = 6
"""The version of Landlock from which on abstract sockets of other processes can be given up."""

ISOLATED = ["-I", "-S", "-B"]
"""The options of a Python that imports nothing by itself, as this one is started."""

libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Read the paths, give up the right to write elsewhere, and become the program."""
    number, *words = sys.argv[1:]
    with os.fdopen(int(number), "rb") as file:
        paths = file.read().split(b"\0")[:-1]

    try:
        restrict(paths)
    except OSError as error:
        sys.exit(f"holdfast: landlock: {error.strerror}")

    program, options, script = words[0], words[1:4], words[4:]
    if script and options == ISOLATED and is_this_python(program):
        run_script(script)
        return

    try:
        os.execvp(words[0], words)  # noqa: S606 - without a shell, as wanted
    except OSError as error:
        sys.stderr.write(f"{words[0]}: {error.strerror}\n")
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


def is_this_python(program: str) -> bool:
    """Return whether a program is the Python that runs this."""
    return os.path.realpath(program) == os.path.realpath(sys.executable)


def run_script(words: list[str]) -> None:
    """Run a script with its arguments, as a Python that is started for it would."""
    with open(words[0], "rb") as file:
        code = compile(file.read(), words[0], "exec", dont_inherit=True)

    sys.argv = words
    exec(code, {"__name__": "__main__", "__file__": words[0]})  # noqa: S102 - one of our own scripts, or the command that is to run


def restrict(paths: list[bytes]) -> None:
    """Keep the right to write below these paths only, and to abstract sockets in the sandbox."""
    handled = number_bytes(WRITE_FILE | REFER, 8)
    if landlock_version() >= WITH_SCOPES:
        handled += number_bytes(TCP_PORTS, 8) + number_bytes(ABSTRACT_SOCKETS, 8)
    ruleset = call(CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), ctypes.c_uint32(0))
    add_rule(ruleset, b"/", REFER)
    for path in paths:
        allowed = WRITE_FILE | REFER if os.path.isdir(path) else WRITE_FILE
        add_rule(ruleset, path, allowed)
    call(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)


def landlock_version() -> int:
    """Return the version of Landlock that the kernel has."""
    return call(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(ASK_VERSION))


def add_rule(ruleset: int, path: bytes, allowed: int) -> None:
    """Keep these rights on a path and all that is below it."""
    try:
        number = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        # It is gone, or not ours to open: then there is no right to keep.
        return
    rule = number_bytes(allowed, 8) + number_bytes(number, 4)
    arguments = ctypes.c_int(PATH_BENEATH), rule, ctypes.c_uint32(0)
    call(ADD_RULE, ctypes.c_int(ruleset), *arguments)
    os.close(number)


def number_bytes(number: int, size: int) -> bytes:
    """Return a number as the kernel reads it."""
    return number.to_bytes(size, sys.byteorder)


def call(*arguments: object) -> int:
    """Make a system call; raise OSError if it fails."""
    result = int(libc.syscall(*arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


if __name__ == "__main__":
    main()
