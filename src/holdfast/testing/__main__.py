"""Serve a script until interrupted.

`python -m holdfast.testing SCRIPT.json [--port N] [--requests FILE]`: the first line on stdout is
the base URL. With `--requests` the body of each request is appended to a file, one JSON object on
a line.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.testing.script_file import BadScript, read_script
from holdfast.testing.scripted_server import ScriptedServer

if TYPE_CHECKING:
    from holdfast.testing.request_log import RecordedRequest


def main(arguments: list[str] | None = None) -> int:
    """Serve a script; return the exit code."""
    options = _parse(arguments)
    try:
        script = read_script(options.script.read_text(encoding="utf-8"))
    except OSError as error:
        return _refuse(f"{options.script}: {error.strerror}.")

    if isinstance(script, BadScript):
        return _refuse(f"{options.script}: {script.message}")

    def append(request: RecordedRequest) -> None:
        if options.requests is not None:
            with options.requests.open("ab") as file:
                file.write(request.raw.replace(b"\n", b" ") + b"\n")

    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())

    with ScriptedServer(
        script.replies,
        otherwise=script.otherwise,
        port=options.port,
        on_request=append,
        **script.options,
    ) as server:
        sys.stdout.write(server.base_url + "\n")
        sys.stdout.flush()
        stopped.wait()

    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m holdfast.testing", description="Serve a scripted model."
    )
    parser.add_argument(
        "script", type=Path, help="the script, as JSON; docs/testing.md has the fields"
    )
    parser.add_argument("--port", type=int, default=0, help="the port; 0 selects a free one")
    parser.add_argument(
        "--requests", type=Path, help="a file to which the body of each request is appended"
    )
    return parser.parse_args(arguments)


def _refuse(message: str) -> int:
    sys.stderr.write(message + "\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
