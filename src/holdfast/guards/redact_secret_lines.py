"""Remove lines of secret files from the output of a command that ran without asking.

`grep -r` also reads `.env`.
"""

from __future__ import annotations

import re

from holdfast.guards.secrets import is_secret

# `./.env:3:KEY=1` of grep and its like, `.env-4-KEY=2` for the lines around a hit.
_AROUND = re.compile(r"-\d+-")
_MOST_OF_A_PATH = 300
_SECTION = re.compile(
    r'==> (?P<shown>.+) <==|diff --git "?a/(?P<old>.+?)"? "?b/(?P<new>.+?)"?|diff --(?:cc|combined) (?P<merged>.+)'
)
_NEW_COMMIT = re.compile(r"commit [0-9a-f]{7,64}\b.*")


def without_secrets(output: str) -> tuple[str, tuple[str, ...]]:
    r"""Return the output without lines marked as coming from a secret file, and the names of those files.

    Recognised are the lines of grep (`path:line`), the sections of head and tail (`==> path <==`), and diffs.

    >>> without_secrets("./.env:1:KEY=abc\nsrc/a.py:3:KEY = read()\n.env-2-TOKEN=x\n")
    ('src/a.py:3:KEY = read()\n', ('.env',))
    >>> without_secrets("==> a.py <==\nx\n==> .env <==\nKEY=1\n")
    ('==> a.py <==\nx\n==> .env <==\n', ('.env',))
    """
    kept: list[str] = []
    hidden: set[str] = set()
    section: str | None = None
    for line in output.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if (head := _SECTION.fullmatch(bare)) is not None:
            paths = [path for path in head.groups() if path is not None]
            section = next((path for path in paths if is_secret(path)), None)
            kept.append(line)
        elif _NEW_COMMIT.fullmatch(bare):
            section = None
            kept.append(line)
        elif (path := section or _secret_of(bare)) is not None:
            hidden.add(path.removeprefix("./"))
        else:
            kept.append(line)
    return "".join(kept), tuple(sorted(hidden))


def _secret_of(line: str) -> str | None:
    """Return the secret file that a line names as its source, or None."""
    # `-1-` may be part of the path: `a-1-b/.env:KEY=1` names a file too.
    start, colon, _ = line[:_MOST_OF_A_PATH].partition(":")
    paths = [start[: match.start()] for match in _AROUND.finditer(start)] + [start] * bool(colon)
    return next((path for path in paths if " " not in path and is_secret(path)), None)
