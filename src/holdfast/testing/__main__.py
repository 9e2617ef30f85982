"""`python -m holdfast.testing SCRIPT.json [--port N] [--requests FILE]`: serve a script until it is interrupted.

The first line on stdout is the base URL. With `--requests` the body of each question is added to a file as it comes,
one JSON object on a line.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from pathlib import Path

from holdfast.testing.request_log import RecordedRequest
from holdfast.testing.script_file import BadScript, read_script
from holdfast.testing.scripted_server import ScriptedServer


def main(arguments: list[str] | None = None) -> int:
    """Serve a script; give the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m holdfast.testing", description="Serve a scripted model."
    )
    parser.add_argument(
        "script", type=Path, help="the script, as JSON; docs/testing.md has the fields"
    )
    parser.add_argument(
        "--port", type=int, default=0, help="where to listen; 0 takes one that is free"
    )
    parser.add_argument(
        "--requests", type=Path, help="a file to which the body of each question is added"
    )
    asked = parser.parse_args(arguments)
    try:
        script = read_script(asked.script.read_text(encoding="utf-8"))
    except OSError as error:
        return _refuse(f"{asked.script}: {error.strerror}.")
    if isinstance(script, BadScript):
        return _refuse(f"{asked.script}: {script.message}")

    def note(request: RecordedRequest) -> None:
        if asked.requests is not None:
            with asked.requests.open("ab") as file:
                file.write(request.raw.replace(b"\n", b" ") + b"\n")

    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with ScriptedServer(
        script.replies,
        otherwise=script.otherwise,
        port=asked.port,
        on_request=note,
        **script.options,
    ) as server:
        sys.stdout.write(server.base_url + "\n")
        sys.stdout.flush()
        stopped.wait()
    return 0


def _refuse(message: str) -> int:
    sys.stderr.write(message + "\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
