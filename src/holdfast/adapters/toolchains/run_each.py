"""Run several commands one after the other: the child of a check, in the sandbox of all of them.

On stdin is a JSON object: `limit`, the seconds that each command may take, and `commands`: the
words of each, and the file that is its stdin ("" for none). For each command a line of JSON is
printed: its exit code and its output. Behind one that took too long nothing is run.
"""

from __future__ import annotations

import json
import subprocess
import sys


def main() -> None:
    """Run the commands."""
    asked = json.load(sys.stdin)
    for words, stdin in asked["commands"]:
        with open(stdin or "/dev/null", "rb") as file:  # noqa: PTH123 - to import `pathlib` takes longer
            try:
                ran = subprocess.run(  # noqa: S603 - the words of a check
                    words,
                    stdin=file,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=asked["limit"],
                    check=False,
                )
            except subprocess.TimeoutExpired:
                print_line({"code": 0, "output": "", "timed_out": True})
                return
        output = ran.stdout.decode("utf-8", "replace")
        print_line({"code": ran.returncode, "output": output, "timed_out": False})


def print_line(ended: dict[str, int | str | bool]) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps(ended) + "\n")


if __name__ == "__main__":
    main()
