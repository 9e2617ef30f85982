"""The programs that only read, and the options with which they run unasked.

Such a command is run without a shell, in a sandbox that can write nothing and masks secrets. So the
list is about what remains: no program that runs others, no list of files in a file, no option that
follows links out of the project. What is not on the list is asked for.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.guards.shell.options import NotAllowed, parse_options
from holdfast.guards.shell.read_command import NotRead, ReadCommand
from holdfast.guards.shell.read_only_git import judge_git
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Operands: TypeAlias = Literal["files", "names", "text", "pattern"]
"""What the operands are: files that are read, paths of which nothing is read, plain text, or a
pattern and then files."""
_NONE = lazy_pattern(r"(?!)")


@dataclass(frozen=True, slots=True)
class _Program:
    """The allowed options of a program, what its operands are, and the switches to add.

    With an operand that does not begin with `only`, it does more than read.
    """

    options: str
    operands: Operands = "files"
    switches: tuple[str, ...] = ()
    only: re.Pattern[str] = lazy_pattern("")


_GREP = (
    "-E -F -G -P -i -v -w -x -c -l -L -o -q -s -n -H -h -b -a -I -r -z -e= -m= -A= -B= -C= -# "
    "--include= --exclude= --exclude-dir= --color=? --colour=? --line-number --ignore-case --count "
    "--recursive --extended-regexp --fixed-strings --perl-regexp --word-regexp --invert-match "
    "--files-with-matches --files-without-match --only-matching --no-messages --with-filename "
    "--no-filename --after-context= --before-context= --max-count= --regexp= --quiet"
)
# The sandbox hides it; where that is an error for each file, no output would be left.
_NOT_GIT = ("--exclude-dir=.git",)
_RG = (
    "-i -S -s -v -w -x -c -l -o -q -n -N -H -I -F -P -U -a -u -e= -m= -A= -B= -C= -g= -t= -T= -r= "
    "-M= --hidden --no-ignore --files --files-with-matches --files-without-match --count --type= "
    "--glob= --iglob= --ignore-case --smart-case --fixed-strings --word-regexp --invert-match "
    "--only-matching --line-number --no-heading --heading --no-line-number --with-filename "
    "--no-filename --multiline --max-count= --max-depth= --context= --color= --sort= --stats --json "
    "--column --trim --vimgrep --no-messages --type-list --version"
)
_PROGRAMS: dict[str, _Program] = {
    "cat": _Program("-n -b -A -e -E -s -t -T -u -v --number --show-all --show-ends --show-tabs"),
    # Anything but a format is a time, to which it sets the clock.
    "date": _Program(
        "-u -R -I? --utc --rfc-email --iso-8601=? --rfc-3339=", "text", only=lazy_pattern(r"\+")
    ),
    "diff": _Program(
        "-u -c -q -s -y -b -B -w -i -a -N -U= -C= --unified=? --brief --side-by-side --color=?",
        # A link in a folder may lead anywhere.
        switches=("--no-dereference",),
    ),
    "du": _Program("-a -b -c -d= -h -k -m -s -S -x --max-depth= --apparent-size", "names"),
    "echo": _Program("-n -e -E", "text"),
    "egrep": _Program(_GREP, "pattern", _NOT_GIT),
    "fgrep": _Program(_GREP, "pattern", _NOT_GIT),
    "file": _Program("-b -i -N --brief --mime --mime-type --mime-encoding"),
    "grep": _Program(_GREP, "pattern", _NOT_GIT),
    "head": _Program("-n= -c= -q -v -# --lines= --bytes="),
    "ls": _Program(
        "-1 -A -a -B -C -c -d -F -f -G -g -h -i -k -l -m -N -n -o -p -Q -q -R -r -S -s -t -U -u "
        "-v -X -x -Z --all --almost-all --color=? --full-time --group-directories-first "
        "--human-readable --recursive --reverse --size --sort= --time= --time-style= --classify",
        "names",
    ),
    "pwd": _Program("-L -P", "text", only=_NONE),
    "rg": _Program(_RG, "pattern", ("--no-config", "--glob=!.git")),
    "sleep": _Program("", "text"),
    "stat": _Program("-c= -t --format= --printf= --terse", "names"),
    "tail": _Program("-n= -c= -q -v -# --lines= --bytes="),
    "tree": _Program(
        "-a -d -f -i -s -h -p -u -g -D -F -r -t -C -n -L= -I= -P= --dirsfirst --noreport "
        "--prune --gitignore --charset= --du",
        "names",
    ),
    "true": _Program("", "text"),
    "uname": _Program("-a -s -n -r -v -m -p -i -o", "text", only=_NONE),
    "wc": _Program("-l -w -c -m -L --lines --words --bytes --chars"),
    "which": _Program("-a", "text"),
    "whoami": _Program("", "text", only=_NONE),
}
# The pattern of these is an option, or there is none.
_NO_PATTERN = frozenset({"-e", "--regexp", "--files", "--type-list", "--version"})


def judge_words(argv: Sequence[str]) -> ReadCommand | NotRead:
    """Return what a command reads, or why it is not one that only reads.

    >>> judge_words(["grep", "-rn", "foo", "src"])
    ReadCommand(argv=('grep', '--exclude-dir=.git', '-rn', 'foo', 'src'), paths=('src',), prints=True, git=None, revisions=())
    >>> judge_words(["tree", "-ob", "a"]), judge_words(["make"])
    (NotRead(why='tree with -o may do more than read'), NotRead(why='`make` needs your approval'))
    """
    name, *rest = argv
    special = _SPECIAL.get(name)
    if special is not None:
        return special(rest)

    program = _PROGRAMS.get(name)
    if program is None:
        return NotRead(f"`{name[:60]}` needs your approval")

    parsed = parse_options(rest, program.options)
    if isinstance(parsed, NotAllowed):
        return NotRead(f"{name} with {parsed.option[:60]} may do more than read")

    paths = parsed.operands
    for word in paths:
        if not program.only.match(word):
            return NotRead(f"{name} with {word[:60]} may do more than read")

    if program.operands == "text":
        paths = ()
    if program.operands == "pattern" and _NO_PATTERN.isdisjoint(parsed.names):
        paths = paths[1:]

    words = (name, *program.switches, *rest)
    return ReadCommand(words, paths, prints=program.operands != "names")


# -------------------------------------------------------------------------- programs with a language

_FIND_PATH = lazy_pattern(r"(?![-(!,)])")
_FIND_FLAGS = lazy_pattern(
    r"-(?:a|and|o|or|not|print|print0|ls|prune|empty|depth|daystart|true|false|xdev|mount|readable|"
    r"writable|executable|nouser|nogroup)|[()!,]"
)
_FIND_VALUES = lazy_pattern(
    r"-(?:i?name|i?path|i?wholename|i?regex|regextype|type|size|perm|user|group|uid|gid|links|inum|"
    r"[acm]time|[acm]min|maxdepth|mindepth|printf)"
)


def _find(words: Sequence[str]) -> ReadCommand | NotRead:
    paths = tuple(takewhile(_FIND_PATH.match, words))
    rest = list(words[len(paths) :])
    while rest:
        word = rest.pop(0)
        if _FIND_VALUES.fullmatch(word) and rest:
            rest.pop(0)
        elif not _FIND_FLAGS.fullmatch(word):
            return NotRead(f"find with {word[:60]} may do more than read")

    return ReadCommand(("find", *words), paths, prints=False)


# An expression has no bracket: inside of one, a slash does not end the expression.
_EXPRESSION = r"/(?:[^/\\\[\n]|\\[^\n])*/"
_SED_STEP = rf"""
    (?: (?:\d+|\$)(?:,\+?(?:\d+|\$))? | {_EXPRESSION}(?:,\+?\d+|,{_EXPRESSION})? )? \s* !? \s*
    (?: [pdq=] | s{_EXPRESSION}(?:[^/\\\n]|\\[^\n])*/[gpI\d]* )
"""
_SED = lazy_pattern(
    rf"(?=[\s\S]{{0,200}}\Z)\s*(?:{_SED_STEP})(?:\s*;\s*(?:{_SED_STEP}))*\s*;?\s*", re.VERBOSE
)
"""Scripts that print, delete, quit or replace, without what writes (`w`) or runs (`e`).

None is long, because the expression would take long too.
"""


def _sed(words: Sequence[str]) -> ReadCommand | NotRead:
    parsed = parse_options(words, "-n -E -r -s --quiet --silent --regexp-extended")
    if isinstance(parsed, NotAllowed):
        return NotRead(f"sed with {parsed.option[:60]} may do more than read")

    script = "".join(parsed.operands[:1])
    if not _SED.fullmatch(script):
        return NotRead("this sed script may do more than print lines")

    return ReadCommand(("sed", *words), parsed.operands[1:])


_SAY_VERSION = ("cc", "clang", "cmake", "g++", "gcc", "make", "node", "python", "python3", "ruby")
"""Programs that print their version without a look at a file of the project."""


def _say_version(name: str, words: Sequence[str]) -> ReadCommand | NotRead:
    if list(words) != ["--version"]:
        return NotRead(f"`{name}` needs your approval")
    return ReadCommand((name, *words), ())


_SPECIAL: dict[str, Callable[[Sequence[str]], ReadCommand | NotRead]] = {
    **{name: partial(_say_version, name) for name in _SAY_VERSION},
    "find": _find,
    "git": judge_git,
    "sed": _sed,
}
