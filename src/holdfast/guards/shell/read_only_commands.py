"""Commands that only read, and the options with which they run without asking.

The judgement is about the words that the program receives, because such a command is run without a
shell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.guards.shell.path_risk import is_sink, why_not_read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.guards.shell.shell_ast import SimpleCommand

_SAFE_VARIABLES = frozenset(
    {
        "CI",
        "COLUMNS",
        "FORCE_COLOR",
        "LANG",
        "LANGUAGE",
        "LC_ALL",
        "LC_CTYPE",
        "LINES",
        "NO_COLOR",
        "TERM",
        "TZ",
    }
)

# The options that write, run something, follow links, omit file names (by which secrets are
# recognised) or never end; all other options of these programs only read. A short option counts
# anywhere in a cluster, a long one also in each abbreviation.
_GREP = ("-h", "--no-filename", "-Z", "--null", "-R", "--dereference-recursive")
_PLAIN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            "basename",
            "cat",
            "cksum",
            "cmp",
            "col",
            "column",
            "comm",
            "cut",
            "df",
            "diff",
            "dirname",
            "du",
        ),
        (),
    ),
    **dict.fromkeys(("expand", "fold", "fmt", "groups", "hexdump", "id", "join"), ()),
    **dict.fromkeys(
        ("ls", "md5sum", "nl", "nproc", "od", "paste", "pwd", "readlink", "realpath", "rev", "seq"),
        (),
    ),
    **dict.fromkeys(
        ("sha1sum", "sha256sum", "stat", "strings", "sum", "tac", "tr", "uname", "wc"), ()
    ),
    **dict.fromkeys(("which", "whoami"), ()),
    **dict.fromkeys(("egrep", "fgrep", "grep"), _GREP),
    "head": ("-q", "--quiet", "--silent"),
    "file": ("-C", "--compile", "-f", "--files-from"),
    "sort": (
        "-o",
        "--output",
        "--compress-program",
        "-T",
        "--temporary-directory",
        "--files0-from",
    ),
    "tail": ("-f", "-F", "--follow", "--retry", "-q", "--quiet", "--silent"),
    "tree": ("-o", "-R", "--output", "--fromfile"),
    "rg": (
        *(
            "--pre",
            "--pre-glob",
            "--hostname-bin",
            "-z",
            "--search-zip",
            "-f",
            "--file",
            "-L",
            "--follow",
        ),
        *("-I", "--no-filename", "-0", "--null", "--heading", "-p", "--pretty", "--json"),
    ),
}
_FIND_ACTS = re.compile(r"-(?:exec|ok|delete|fprint|fls|files0-from|follow).*|-[HP]*L.*")
_SED_STEP = r"""(?:
    (?: (?:\d+|\$)(?:,\+?(?:\d+|\$))? | /(?:[^/\\\n]|\\.)*/(?:,\+?\d+|,/(?:[^/\\\n]|\\.)*/)? )? \s* !? \s*
    (?: [pdq=] | s/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/[gpI\d]* )
)"""
_SED = re.compile(rf"\s*{_SED_STEP}(?:\s*;\s*{_SED_STEP})*\s*;?\s*", re.VERBOSE)
"""Scripts that print, delete, quit or replace, without a flag or command that writes (`w`) or runs (`e`)."""
_GIT_LIST: dict[str, frozenset[str]] = {
    "branch": frozenset(
        {
            "-a",
            "-r",
            "-v",
            "-vv",
            "-av",
            "-avv",
            "--all",
            "--remotes",
            "--list",
            "-l",
            "--show-current",
            "--verbose",
        }
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
_GIT_BAD = (
    *(
        "--output",
        "--ext-diff",
        "--textconv",
        "--open-files-in-pager",
        "--exec",
        "--upload-pack",
        "--filters",
    ),
    *(
        "--submodule",
        "--ignore-submodules",
        "--recurse-submodules",
        "--no-prefix",
        "--src-prefix",
        "--dst-prefix",
    ),
)
# A repository's config can name programs; git that only reads must not run them.
_GIT_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.alternateRefsCommand=true",
    "core.pager=cat",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "status.submoduleSummary=false",
    "log.showSignature=false",
    *(
        f"{name}=false"
        for name in ("gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program")
    ),
    # A partial clone would fetch missing objects with a program that its config names.
    "protocol.allow=never",
    *(f"protocol.{name}.allow=never" for name in ("ext", "file", "git", "http", "https", "ssh")),
)
_GIT_SWITCHES = (
    "--no-optional-locks",
    *(word for setting in _GIT_SETTINGS for word in ("-c", setting)),
)
# Git runs itself in a submodule, with the submodule's config and without our switches.
_GIT_DIFF = ("--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty")
_GIT_MORE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("diff", "diff-tree", "log", "show", "whatchanged"), _GIT_DIFF),
    "blame": ("--no-textconv",),
    "status": ("--ignore-submodules=dirty",),
}
_GIT_OPTIONS = frozenset(
    {"--no-pager", "-P", "--version", "--literal-pathspecs", "--no-optional-locks"}
)


def why_not_unasked(argv: Sequence[str]) -> str | None:
    """Return why a program with these words needs approval, or None if it only reads what the model may read.

    >>> [why_not_unasked(text.split()) for text in ("ls -la src", "sort -o a b", "make")]
    [None, 'sort with -o does more than read', '`make` needs your approval']
    """
    name, *rest = argv
    if name in _ANY_WORDS:
        return None
    if name in _PLAIN:
        return _why_not_options(name, rest, _PLAIN[name]) or _why_not_paths(name, rest)
    judge = _JUDGES.get(name)
    return judge(rest) if judge else f"`{name[:60]}` needs your approval"


def without_programs_of_git(argv: Sequence[str]) -> tuple[str, ...]:
    """Return a git command that only reads with switches that disable programs named by the repository.

    Return other commands unchanged.

    >>> without_programs_of_git(["ls", "-l"])
    ('ls', '-l')
    >>> without_programs_of_git(["git", "status", "-s"])[-3:]
    ('status', '--ignore-submodules=dirty', '-s')
    """
    if argv[0] != "git" or why_not_unasked(argv):
        return tuple(argv)
    at = _git_subcommand(argv)
    more = _GIT_MORE.get(argv[at], ()) if at < len(argv) else ()
    return ("git", *_GIT_SWITCHES, *argv[1 : at + 1], *more, *argv[at + 1 :])


def why_not_prepared(simple: SimpleCommand) -> str | None:
    """Return why the variables or redirections of an allowed command need approval, or None."""
    for assignment in simple.assignments:
        name = assignment.partition("=")[0].removesuffix("+")
        if name not in _SAFE_VARIABLES:
            return f"it sets {name}"
    for redirect in simple.redirects:
        target = redirect.target
        if redirect.operator in {">&", "<&"} and re.fullmatch(r"\d+|-", target.text):
            continue
        if ">" in redirect.operator and not is_sink(target.text):
            return f"it writes to {target.text}"
        if target.expansion != "none" or target.glob:
            return f"the shell decides what {target.text} expands to"
        why = None if redirect.operator == "<<<" else why_not_read(target.text)
        if why:
            return why
    return None


def _why_not_options(name: str, words: Sequence[str], bad: Sequence[str]) -> str | None:
    # Also after `--`, which may be the value of the option before it.
    for word in words:
        for option in bad:
            if _is_option(word, option):
                return f"{name} with {option} does more than read"
    return None


def _is_option(text: str, option: str) -> bool:
    if option.startswith("--"):
        name = text.partition("=")[0]
        return len(name) > 2 and option.startswith(name)
    return text.startswith("-") and not text.startswith("--") and option[1] in text


def _why_not_paths(name: str, words: Sequence[str]) -> str | None:
    if name == "tr":
        return None
    rest = list(words)
    if name in {"grep", "egrep", "fgrep", "rg"} and not any(
        w.startswith(("-e", "-f", "--regexp")) for w in words
    ):
        # The first word that is no option is the pattern, which may look like a path.
        pattern = next((word for word in words if not word.startswith("-")), None)
        if pattern is not None:
            rest.remove(pattern)
    return next((why for word in rest if (why := _why_not_word(word))), None)


def _why_not_word(word: str) -> str | None:
    """Return why a word (a path, or an option with a value) needs approval, or None."""
    if word.startswith("--"):
        return why_not_read(word.partition("=")[2] or word)
    if not word.startswith("-"):
        return why_not_read(word)
    # Letters and a value in one word, as in `-uf/etc/passwd`: only the program knows where the
    # value begins.
    values = (word[at:] for at in range(2, min(len(word), _LONGEST_OPTION)))
    if len(word) > _LONGEST_OPTION or any(why_not_read(value) for value in values):
        return f"{word[:60]} may name a file outside the project, or a secret"
    return None


def _find(words: Sequence[str]) -> str | None:
    for word in words:
        if _FIND_ACTS.fullmatch(word):
            return f"find with {word} does more than read"
    return next(
        (why for word in words if not word.startswith("-") and (why := _outside(word))), None
    )


def _outside(path: str) -> str | None:
    """Return why a path outside the project needs approval.

    The word may also be a pattern of names.
    """
    outside = path.startswith(("/", "~")) or ".." in path.split("/")
    return f"{path} is outside the project" if outside and not is_sink(path) else None


def _sed(words: Sequence[str]) -> str | None:
    script: str | None = None
    paths: list[str] = []
    expected = False
    for word in words:
        if expected:
            script, expected = f"{script};{word}" if script else word, False
        elif word in {"-n", "-E", "-r", "-s", "--quiet", "--silent"}:
            continue
        elif word in {"-e", "-ne", "-nE"}:
            expected = word.endswith("e")
        elif word.startswith("-"):
            return f"sed with {word} may do more than read"
        elif script is None:
            script = word
        else:
            paths.append(word)
    if script is None or not _SED.fullmatch(script):
        return "this sed script may do more than print lines"
    return next((why for path in paths if (why := why_not_read(path))), None)


def _uniq(words: Sequence[str]) -> str | None:
    # The second name is an output file. `-` and words after `--` are names too.
    names = [word for word in words if not _UNIQ_OPTION.fullmatch(word)]
    return "uniq with a second file writes it" if len(names) > 1 else _why_not_paths("uniq", words)


def _git(words: Sequence[str]) -> str | None:
    at = _git_subcommand(["git", *words]) - 1
    before = list(words[:at])
    while before:
        option = before.pop(0)
        if option == "-C" and before:
            why = why_not_read(before.pop(0))
            if why:
                return why
        elif option not in _GIT_OPTIONS:
            return f"git with {option} may run other programs"
    if at >= len(words):
        return None
    command, rest = words[at], words[at + 1 :]
    if command in _GIT_LIST:
        return _git_list(command, rest)
    if not _GIT_READ.fullmatch(command):
        return f"`git {command}` needs your approval"
    if command == "grep":
        bad = next(
            (option for option in ("-O", *_GREP) if any(_is_option(word, option) for word in rest)),
            None,
        )
        if bad:
            return f"git grep with {bad} does more than read"
    return _why_not_options("git", rest, _GIT_BAD) or _why_not_paths("git", rest)


def _git_subcommand(argv: Sequence[str]) -> int:
    """Return the index of git's subcommand, or the number of words if there is none."""
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] == "-C" else 1
    return min(at, len(argv))


def _git_list(command: str, rest: Sequence[str]) -> str | None:
    known = _GIT_LIST[command]
    listing = any(word in {"--list", "-l"} for word in rest) and command in {"branch", "tag"}
    for word in rest:
        if word in known or word.startswith(("--sort=", "--format=")):
            continue
        if listing and not word.startswith("-"):
            continue
        return f"git {command} {word} may do more than list"
    if command in {"stash", "worktree"} and list(rest) != ["list"]:
        return f"git {command} changes something"
    return None


def _date(words: Sequence[str]) -> str | None:
    other = next((word for word in words if not _DATE_WORD.fullmatch(word)), None)
    return None if other is None else f"date with {other} may set the clock, or read a file"


def _no_words(words: Sequence[str]) -> str | None:
    return f"{words[0]} may set something" if words else None


_LONGEST_OPTION = 200
_UNIQ_OPTION = re.compile(r"-[a-zA-Z0-9]+|--[a-z][a-z-]*(?:=\w+)?")
_DATE_WORD = re.compile(
    r"\+.*|-[uR]+|-I[a-z]*|--utc|--universal|--rfc-email|--iso-8601(?:=[a-z]+)?|--rfc-3339=[a-z]+",
    re.DOTALL,
)
_ANY_WORDS = frozenset({"echo", "printf", "true", "false", "test", "[", "sleep"})
_JUDGES: dict[str, Callable[[Sequence[str]], str | None]] = {
    "find": _find,
    "sed": _sed,
    "uniq": _uniq,
    "git": _git,
    "hostname": _no_words,
    "date": _date,
}
