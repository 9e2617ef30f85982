"""`python -m bench.loop.serve STEPS`: a scripted model in a process of its own, so that what it costs is not measured.

The first line on stdout is the base URL. It reads, edits, runs a command and searches in turn, on the files that
`scene` makes, and says that it is done after so many steps. It ends when its standard input does.
"""

from __future__ import annotations

import sys

from bench.loop.scene import FILES
from holdfast.testing import RecordedRequest, Reply, ScriptedServer, call, say

_SUMMARY = "## Goal\nRaise every limit.\n\n## Progress\nSome are raised.\n\n## Next Steps\nRaise the others."


class Worker:
    """What the scripted model does: one call a step, each with another result, so that no guard has to stop it."""

    def __init__(self, steps: int) -> None:
        """Be done after so many steps."""
        self._left = steps
        self._step = 0
        self._limits = [0] * FILES

    def answer(self, request: RecordedRequest) -> Reply:
        """Give the next call; a summary, if no tool is offered."""
        if "tools" not in request.body:
            return say(_SUMMARY)
        if self._left == 0:
            return say("Done.")
        self._left -= 1
        self._step += 1
        at = self._step // 4 % FILES
        match self._step % 4:
            case 1:
                return call("read_file", path=f"src/part_{at}.py")
            case 2:
                limit = self._limits[at]
                self._limits[at] += 1
                old, new = f"LIMIT = {limit}\n", f"LIMIT = {limit + 1}\n"
                return call("edit_file", path=f"src/part_{at}.py", old=old, new=new)
            case 3:
                return call("run_command", command="git diff --shortstat")
            case _:
                return call("search", pattern=f"def work_{at}_")


def main(steps: int) -> None:
    """Serve until standard input is at its end."""
    worker = Worker(steps)
    with ScriptedServer(lambda request: _answer(worker, server, request)) as server:
        sys.stdout.write(server.base_url + "\n")
        sys.stdout.flush()
        sys.stdin.read()


def _answer(worker: Worker, server: ScriptedServer, request: RecordedRequest) -> Reply:
    # A thousand long questions are not kept: only their number matters here.
    server.requests[-1] = RecordedRequest(request.path, b"", {})
    return worker.answer(request)


if __name__ == "__main__":
    main(int(sys.argv[1]))
