"""Judge the paths in a command: outside the project, a secret, a part of the system."""

from __future__ import annotations

import re

from holdfast.guards.secrets import is_secret

_SINKS = frozenset(
    {
        "/dev/null",
        "/dev/stdout",
        "/dev/stderr",
        "/dev/stdin",
        "/dev/tty",
        "/dev/zero",
        "/dev/urandom",
    }
)
_HOME = re.compile(r"(?:~|\$HOME|\$\{HOME\}|/root|/home/[^/]+|/Users/[^/]+)(?=/|$)")
_SYSTEM = re.compile(
    r"/(?:bin|boot|dev|etc|home|lib\d*|opt|proc|root|sbin|srv|sys|usr|var|Applications|Library|System|Users|Volumes)?"
    r"(?:/[^/]+)?"
)
_OWN = re.compile(
    r"/(?:\.ssh|\.gnupg|\.aws|\.kube|\.docker|\.config|\.bash\w*|\.profile|\.zsh\w*|\.zprofile|\.gitconfig|\.netrc|"
    r"\.npmrc|\.pypirc|\.local|Library)(?=/|$)"
)
_OF_THE_SYSTEM = re.compile(
    r"/(?:bin|boot|etc|lib\d*|sbin|sys|usr|proc|dev(?!/(?:shm|fd)/)|System|Library)(?=/|$)"
)


def is_sink(path: str) -> bool:
    """Return whether the path is a device that stores nothing and holds no data.

    >>> is_sink("/dev/null"), is_sink("/dev/sda")
    (True, False)
    """
    return path in _SINKS


def why_not_read(path: str) -> str | None:
    """Return why reading this path needs approval, or None.

    >>> why_not_read("src/a.py"), why_not_read("../x"), why_not_read(".env")
    (None, '../x is outside the project', '.env may hold secrets')
    """
    path = path.removeprefix("file://")
    if is_sink(path):
        return None
    if path.startswith(("/", "~")) or ".." in path.split("/"):
        return f"{path} is outside the project"
    # `git show HEAD:.env` names a file too, and so does `--file=.env`.
    if any(is_secret(part) for part in re.split(r"[:=]", path)):
        return f"{path} may hold secrets"
    return None


def is_vital(path: str) -> bool:
    """Return whether deleting everything below this path would destroy more than a project's files.

    >>> is_vital("/"), is_vital("~/"), is_vital("/usr/*"), is_vital("build"), is_vital("/tmp/x/y")
    (True, True, True, False, False)
    """
    plain = re.sub(r"/+", "/", path.removesuffix("*").replace("/./", "/"))
    plain = plain.rstrip("/") or plain[:1]
    if plain in {"", "."}:
        return path in {".", "./"}
    if (
        plain == ".."
        or plain.startswith("../")
        or plain.endswith("/..")
        or plain in {".git", "./.git"}
    ):
        return True
    home = _HOME.match(plain)
    return (home is not None and home.end() == len(plain)) or _SYSTEM.fullmatch(plain) is not None


def is_protected(path: str) -> bool:
    """Return whether writing this path changes the system, or files that the user's programs run and trust.

    >>> is_protected("~/.ssh/authorized_keys"), is_protected("/etc/passwd"), is_protected(".git/hooks/pre-commit")
    (True, True, True)
    >>> is_protected("/dev/null"), is_protected("out.txt"), is_protected("/tmp/out.txt")
    (False, False, False)
    """
    if is_sink(path):
        return False
    plain = re.sub(r"/+", "/", path).removeprefix("./")
    if plain.casefold().startswith(".git/") or "/.git/" in plain.casefold():
        return True
    home = _HOME.match(plain)
    if home and _OWN.match(plain, home.end()):
        return True
    return _OF_THE_SYSTEM.match(plain) is not None
