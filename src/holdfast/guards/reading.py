"""Commands that only read: which of them may run unasked, with which options."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from holdfast.guards.places import is_sink, why_not_read
from holdfast.guards.script import Simple, Word

_SAFE_VARIABLES = frozenset(
    {"CI", "COLUMNS", "FORCE_COLOR", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LINES", "NO_COLOR", "TERM", "TZ"}
)

# The options that write, run something or never end; all others of these programs only read. A short one counts
# wherever it stands in a cluster, a long one as soon as what is written could be short for it.
_PLAIN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("basename", "cat", "cksum", "cmp", "col", "column", "comm", "cut", "df", "diff", "dirname", "du"), ()
    ),
    **dict.fromkeys(("egrep", "expand", "fgrep", "fold", "fmt", "grep", "groups", "head", "hexdump", "id", "join"), ()),
    **dict.fromkeys(("ls", "md5sum", "nl", "nproc", "od", "paste", "pwd", "readlink", "realpath", "rev", "seq"), ()),
    **dict.fromkeys(("sha1sum", "sha256sum", "stat", "strings", "sum", "tac", "tr", "type", "uname", "wc"), ()),
    **dict.fromkeys(("which", "whoami"), ()),
    "file": ("-C", "--compile", "-f", "--files-from"),
    "sort": ("-o", "--output", "--compress-program", "-T", "--temporary-directory", "--files0-from"),
    "tail": ("-f", "-F", "--follow", "--retry"),
    "tree": ("-o", "-R", "--output", "--fromfile"),
    "rg": ("--pre", "--pre-glob", "--hostname-bin", "-z", "--search-zip", "-f", "--file"),
}
_FIND_ACTS = re.compile(r"-(?:exec|ok|delete|fprint|fls|files0-from).*")
_SED_STEP = r"""(?:
    (?: (?:\d+|\$)(?:,\+?(?:\d+|\$))? | /(?:[^/\\\n]|\\.)*/(?:,\+?\d+|,/(?:[^/\\\n]|\\.)*/)? )? \s* !? \s*
    (?: [pdq=] | s/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/[gpI\d]* )
)"""
_SED = re.compile(rf"\s*{_SED_STEP}(?:\s*;\s*{_SED_STEP})*\s*;?\s*", re.VERBOSE)
"""Print, delete, quit, replace; no flag or command that writes (`w`) or runs (`e`)."""
_GIT_LIST: dict[str, frozenset[str]] = {
    "branch": frozenset(
        {"-a", "-r", "-v", "-vv", "-av", "-avv", "--all", "--remotes", "--list", "-l", "--show-current", "--verbose"}
    ),
    "tag": frozenset({"-l", "--list", "-n"}),
    "remote": frozenset({"-v", "--verbose"}),
    "stash": frozenset({"list"}),
    "worktree": frozenset({"list"}),
}
_GIT_READ = re.compile(
    r"blame|cat-file|count-objects|describe|diff|diff-tree|for-each-ref|grep|log|ls-files|ls-tree|merge-base|name-rev|"
    r"rev-list|rev-parse|shortlog|show|show-ref|status|version|whatchanged"
)
_GIT_BAD = ("--output", "--ext-diff", "--textconv", "--open-files-in-pager", "--exec", "--upload-pack", "--filters")


def why_not_unasked(simple: Simple) -> str | None:
    """Say why a simple command cannot run unasked; None if it only reads what the model may read.

    >>> from holdfast.guards.shell import parse
    >>> [why_not_unasked(parse(text).commands[0]) for text in ("ls -la src", "sort -o a b", "make")]
    [None, 'sort with -o does more than read', 'make is not on the list of commands that run unasked']
    """
    return why_not_prepared(simple) or _why_not_known(simple)


def why_not_prepared(simple: Simple) -> str | None:
    """Say why what surrounds the command, its environment and redirections, needs somebody's word."""
    for assignment in simple.assignments:
        name = assignment.partition("=")[0].removesuffix("+")
        if name not in _SAFE_VARIABLES:
            return f"it sets {name}"
    for redirect in simple.redirects:
        if redirect.operator in {">&", "<&"} and re.fullmatch(r"\d+|-", redirect.target.text):
            continue
        if ">" in redirect.operator and not is_sink(redirect.target.text):
            return f"it writes to {redirect.target.text}"
        why = _say([redirect.target]) if redirect.operator == "<<<" else why_not_read(redirect.target)
        if why:
            return why
    return None


def _why_not_known(simple: Simple) -> str | None:
    if not simple.words:
        return None
    first, *rest = simple.words
    name = first.text
    if first.expansion != "none" or first.glob:
        return "the name of the program is not known beforehand"
    if name in _PLAIN:
        return _why_not_options(name, rest, _PLAIN[name]) or _why_not_paths(name, rest)
    judge = _JUDGES.get(name)
    return judge(rest) if judge else f"{name[:60] or 'an empty name'} is not on the list of commands that run unasked"


def _why_not_options(name: str, words: Sequence[Word], bad: Sequence[str]) -> str | None:
    for word in words:
        if word.text == "--" and word.bare:
            return None
        for option in bad:
            if _is_option(word.text, option):
                return f"{name} with {option} does more than read"
        # A file may be called `-o`, and a pattern may stand for it.
        if bad and word.glob and word.text[0] in "*?[":
            return f"{word.text} may stand for an option of {name}"
    return None


def _is_option(text: str, option: str) -> bool:
    if option.startswith("--"):
        name = text.partition("=")[0]
        return len(name) > 2 and option.startswith(name)
    return text.startswith("-") and not text.startswith("--") and option[1] in text


def _why_not_paths(name: str, words: Sequence[Word]) -> str | None:
    if name == "tr":
        words = ()
    if name in {"grep", "egrep", "fgrep", "rg"} and not any(w.text.startswith(("-e", "-f", "--regexp")) for w in words):
        # The first that is no option is the pattern, which may well look like a path.
        plain = [word for word in words if not word.text.startswith("-")]
        words = [word for word in words if not plain or word is not plain[0] or word.expansion != "none"]
    for word in words:
        path = word
        if word.text.startswith("-"):
            value = word.text.partition("=")[2]
            path = Word(value or word.text, word.expansion, word.glob)
        why = why_not_read(path)
        if why:
            return why
    return None


def _say(words: Sequence[Word]) -> str | None:
    return next((f"what {w.text} stands for is not known beforehand" for w in words if w.expansion == "variable"), None)


def _change_directory(words: Sequence[Word]) -> str | None:
    if len(words) != 1 or words[0].text.startswith("-") or words[0].glob:
        return "where it changes to is not known beforehand"
    return why_not_read(words[0])


def _find(words: Sequence[Word]) -> str | None:
    for word in words:
        # A file may be called `-delete`, and a pattern may stand for it.
        if word.expansion != "none" or _FIND_ACTS.fullmatch(word.text) or (word.glob and word.text[0] in "*?["):
            return f"find with {word.text} does more than read"
    return next((why for word in words if not word.text.startswith("-") and (why := _outside(word))), None)


def _outside(word: Word) -> str | None:
    """As `why_not_read`, for a word that may also be a pattern of names."""
    path = word.text
    outside = path.startswith(("/", "~")) or ".." in path.split("/")
    return f"{path} is outside the project" if outside and not is_sink(path) else None


def _sed(words: Sequence[Word]) -> str | None:
    script: str | None = None
    paths: list[Word] = []
    expected = False
    for word in words:
        if expected:
            script, expected = f"{script};{word.text}" if script else word.text, False
        elif word.text in {"-n", "-E", "-r", "-s", "--quiet", "--silent"}:
            continue
        elif word.text in {"-e", "-ne", "-nE"}:
            expected = word.text.endswith("e")
        elif word.text.startswith("-"):
            return f"sed with {word.text} may do more than read"
        elif script is None:
            script = word.text
        else:
            paths.append(word)
    if script is None or not _SED.fullmatch(script):
        return "this sed script may do more than print lines"
    return next((why for word in words if word.expansion != "none" and (why := why_not_read(word))), None) or next(
        (why for path in paths if (why := why_not_read(path))), None
    )


def _uniq(words: Sequence[Word]) -> str | None:
    # The second name is a file to write.
    plain = [word for word in words if not word.text.startswith("-")]
    if len(plain) > 1 or any(word.glob for word in plain):
        return "uniq with a second file writes it"
    return _why_not_paths("uniq", words)


def _git(words: Sequence[Word]) -> str | None:
    rest = list(words)
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0).text
        if option == "-C" and rest:
            why = why_not_read(rest.pop(0))
            if why:
                return why
        elif option not in {"--no-pager", "-P", "--version", "--literal-pathspecs", "--no-optional-locks"}:
            return f"git with {option} may run other programs"
    if not rest:
        return None
    command, *rest = rest
    if command.text in _GIT_LIST:
        return _git_list(command.text, rest)
    if not _GIT_READ.fullmatch(command.text) or command.expansion != "none":
        return f"git {command.text} is not on the list of commands that run unasked"
    if command.text == "grep" and any(_is_option(word.text, "-O") for word in rest):
        return "git grep with -O runs a program"
    return _why_not_options("git", rest, _GIT_BAD) or _why_not_paths("git", rest)


def _git_list(command: str, rest: Sequence[Word]) -> str | None:
    known = _GIT_LIST[command]
    listing = any(word.text in {"--list", "-l"} for word in rest) and command in {"branch", "tag"}
    for word in rest:
        if word.text in known or word.text.startswith(("--sort=", "--format=")):
            continue
        if listing and not word.text.startswith("-"):
            continue
        return f"git {command} {word.text} may do more than list"
    if command in {"stash", "worktree"} and [word.text for word in rest] != ["list"]:
        return f"git {command} changes something"
    return None


def _date(words: Sequence[Word]) -> str | None:
    known = ("+", "-u", "-I", "-R", "--utc", "--iso", "--rfc")
    return next((f"date with {word.text} may set the clock" for word in words if not word.text.startswith(known)), None)


def _no_words(words: Sequence[Word]) -> str | None:
    return f"{words[0].text} may set something" if words else None


_JUDGES: dict[str, Callable[[Sequence[Word]], str | None]] = {
    "echo": _say,
    "printf": _say,
    "true": _say,
    "false": _say,
    ":": _say,
    "test": _say,
    "[": _say,
    "sleep": _say,
    "cd": _change_directory,
    "find": _find,
    "sed": _sed,
    "uniq": _uniq,
    "git": _git,
    "hostname": _no_words,
    "date": _date,
}
