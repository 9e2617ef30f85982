"""`holdfast` as a process of its own that need not load its modules: a copy of one that has loaded them.

Two thirds of what a short command costs is the loading. A process that has loaded the modules, and nothing else, is
copied (fork) for each command; the copy gets the command's words, folder, environment and streams, and ends by itself.
`HOLDFAST_TEST_COLD=1` starts every command anew, and `make soak` sets it. What a test kills, watches or starts with other
settings of Python is always started anew.
"""

from __future__ import annotations

import array
import atexit
import functools
import gc
import importlib
import io
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

CHECKOUT = Path(__file__).parents[1]
COLD = [sys.executable, "-m", "holdfast.cli.main"]
# What is read when the command runs, and not by Python or while modules are loaded.
_MAY_DIFFER = ("HOLDFAST_", "HOME", "XDG_", "NO_COLOR", "PATH", "TMPDIR", "PYTEST_", "GIT_")
_LEFT_OUT = (
    "holdfast.server",
    "holdfast.testing",
    "holdfast.acp",
    "holdfast.mcp",
    "holdfast.adapters.store.migrations",
)
# What modules load when it is first used.
_LOADED_LATE = ("ast_grep_py", "certifi", "httpcore")
_STATUS_BYTES = 4


def run_holdfast(
    words: Sequence[str], *, env: Mapping[str, str], cwd: Path, given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end, without a terminal."""
    if not _can_be_warm(env):
        return subprocess.run(
            [*COLD, *words], input=given, env=env, cwd=cwd, check=False, capture_output=True
        )
    return _run_warm(words, env, cwd, given)


def _can_be_warm(env: Mapping[str, str]) -> bool:
    if os.environ.get("HOLDFAST_TEST_COLD"):
        return False
    ours = os.environ
    differing = {name for name in {*env, *ours} if env.get(name) != ours.get(name)}
    return all(name.startswith(_MAY_DIFFER) for name in differing)


# --------------------------------------------------------------------------------------------------- the side of tests


def _run_warm(
    words: Sequence[str], env: Mapping[str, str], cwd: Path, given: bytes
) -> subprocess.CompletedProcess[bytes]:
    request = json.dumps({"words": list(words), "env": dict(env), "cwd": str(cwd)}).encode()
    stdin, out, err = os.pipe(), os.pipe(), os.pipe()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect(_started(os.getpid()))
        streams = array.array("i", [stdin[0], out[1], err[1]])
        line.sendmsg(
            [len(request).to_bytes(8, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)]
        )
        for stream in streams:
            os.close(stream)
        line.sendall(request)
        printed: dict[int, bytes] = {}
        readers = [threading.Thread(target=_read, args=(end, printed)) for end in (out[0], err[0])]
        for reader in readers:
            reader.start()
        _write(stdin[1], given)
        for reader in readers:
            reader.join()
        status = line.recv(_STATUS_BYTES, socket.MSG_WAITALL)

    assert len(status) == _STATUS_BYTES, "the process that starts warm commands has ended"
    code = int.from_bytes(status, "big", signed=True)
    return subprocess.CompletedProcess(list(words), code, printed[out[0]], printed[err[0]])


def _read(end: int, printed: dict[int, bytes]) -> None:
    with open(end, "rb", closefd=True) as stream:
        printed[end] = stream.read()


def _write(end: int, given: bytes) -> None:
    try:
        with open(end, "wb", closefd=True) as stream:
            stream.write(given)
    except BrokenPipeError:
        pass


@functools.cache
def _started(of_process: int) -> str:
    """Start the process that is copied, once for each process of pytest; return its address."""
    folder = tempfile.mkdtemp(prefix=f"warm-{of_process}-")
    address = f"{folder}/line"
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.warm_command", address],
        cwd=CHECKOUT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    server.stdout.close()

    def end() -> None:
        if os.getpid() == of_process:
            server.kill()
            server.wait()
            Path(address).unlink()
            Path(folder).rmdir()

    atexit.register(end)
    return address


# ---------------------------------------------------------------------------------------------- the side of the command


def _serve(address: str) -> dict[str, Any]:
    """Answer until the end of the tests; return only in a copy, with the command that it is to run."""
    _load_modules()
    # A copy would have to write to the pages of all these objects at its first collection.
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(address)
        listener.listen(64)
        os.write(1, b"ready\n")
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            line, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                return _attend(line)
            line.close()


def _attend(line: socket.socket) -> dict[str, Any]:
    """Read one command, and return in a copy of this process; wait for its end, and tell it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    header, sent, _, _ = line.recvmsg(8, socket.CMSG_SPACE(3 * array.array("i").itemsize))
    streams = array.array("i")
    streams.frombytes(sent[0][2])
    length = int.from_bytes(header, "big")
    request: dict[str, Any] = json.loads(line.recv(length, socket.MSG_WAITALL))
    child = os.fork()
    if child != 0:
        _tell_end(line, child, streams)

    line.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    return request


def _tell_end(line: socket.socket, child: int, streams: Sequence[int]) -> NoReturn:
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(child, 0)
    line.sendall(os.waitstatus_to_exitcode(status).to_bytes(_STATUS_BYTES, "big", signed=True))
    os._exit(0)


def _load_modules() -> None:
    import holdfast

    names = (found.name for found in pkgutil.walk_packages(holdfast.__path__, "holdfast."))
    for name in (*names, *_LOADED_LATE):
        if not name.startswith(_LEFT_OUT):
            importlib.import_module(name)


def _become(request: Mapping[str, Any]) -> None:
    """Give this process the words, the folder, the environment and the streams of a command."""
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.argv = ["holdfast", *request["words"]]
    sys.path[0] = request["cwd"]
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(  # type: ignore[misc]
        io.BufferedWriter(io.FileIO(1, "wb", closefd=False))
    )
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(  # type: ignore[misc]
        io.BufferedWriter(io.FileIO(2, "wb", closefd=False)),
        errors="backslashreplace",
        line_buffering=True,
    )


if __name__ == "__main__":
    _become(_serve(sys.argv[1]))
    from holdfast.cli.main import main

    main()
