"""Run chosen tests in forks of a process that has pytest and the other packages imported, but nothing of the project.

So each fork imports the project as it is on the disk at that moment, and so does every process that a test starts. It
reads a request a line from standard input: `words` for pytest, the file `output` for what it prints, the file `report`
that `mutants_plugin` writes, the `limit` in seconds of processor time or null. It answers with a line that has the exit
code of pytest, or null at the limit. The project is what is below the current folder.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

_CLOCK_FACTOR = 10
_ASIDE = "ignore::pytest.PytestAssertRewriteWarning"  # of plugins: those are imported already


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        code = _run_in_fork(request)
        _import_what_tests_import(Path(request["report"]))
        print(json.dumps(code), file=answers, flush=True)


def _run_in_fork(request: dict[str, Any]) -> int | None:
    """Return the exit code of pytest in a fork, which leads a session of its own; None at the limit."""
    process = os.fork()
    if process == 0:
        os.setsid()
        if request["limit"] is not None:
            _limit_processor_time(math.ceil(request["limit"]))
        os._exit(_run_here(request["words"], request["output"]))
    code = _wait(process, request["limit"])
    # Also what tests have left behind, such as a server that they could not stop.
    _kill_session(process)
    return code


def _run_here(words: list[str], output: str) -> int:
    shown = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, target in ((nothing, 0), (shown, 1), (shown, 2)):
        os.dup2(descriptor, target)
    code = 1
    try:
        code = int(pytest.main(["-W", _ASIDE, *words]))
    except SystemExit as error:
        code = int(error.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return code


def _limit_processor_time(seconds: int) -> None:
    """End this process, and each that it starts, after so many seconds: what loops would go on for ever."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, most))


def _wait(process: int, limit: float | None) -> int | None:
    """Return the exit code, None at the limit. What waits for ever is ended by the clock, which is slow when busy."""
    end = math.inf
    if limit is not None:
        end = time.monotonic() + _CLOCK_FACTOR * limit
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return None if code == -signal.SIGXCPU else code
        if time.monotonic() > end:
            _kill_session(process)
            os.waitpid(process, 0)
            return None
        time.sleep(0.01)


def _kill_session(leader: int) -> None:
    with suppress(ProcessLookupError):  # then all of it has ended
        os.killpg(leader, signal.SIGKILL)


def _import_what_tests_import(report: Path) -> None:
    """Import what the last run imported from outside of the project, for the forks that follow."""
    if not report.exists():
        return
    for name in json.loads(report.read_text(encoding="utf-8"))["imported"]:
        if name in sys.modules:
            continue
        try:
            importlib.import_module(name)
        except Exception as error:  # a fork imports it again, or does without it as before
            print(f"mutants: {name} is not imported early: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
