"""The subcommands of git that only read, their options, and the switches that they run with."""

from __future__ import annotations

from itertools import dropwhile
from typing import TYPE_CHECKING

from holdfast.guards.shell.options import NotAllowed, ParsedOptions, parse_options
from holdfast.guards.shell.read_command import GitContent, NotRead, ReadCommand
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

_DIFF = (
    "-p -u -U? -s -w -b -M? -C? -z -R --patch --no-patch --unified=? --stat=? --shortstat --numstat "
    "--dirstat --summary --name-only --name-status --word-diff=? --color-words --color=? --no-color "
    "--no-renames --find-renames=? --diff-filter= --ignore-all-space --ignore-space-change "
    "--ignore-blank-lines --minimal --patience --histogram --abbrev=? --full-index --no-ext-diff "
    "--no-textconv --exit-code --quiet --check --raw"
)
_LOG = (
    f"{_DIFF} -n= -# -i -E -F -S= -G= -L= -c -m --oneline --graph --all --branches=? --tags=? "
    "--remotes=? --decorate=? --no-decorate --max-count= --skip= --since= --until= --after= "
    "--before= --author= --committer= --grep= --format=? --pretty=? --date= --reverse --merges "
    "--no-merges --first-parent --follow --abbrev-commit --no-abbrev-commit --topo-order "
    "--date-order --full-history --left-right --cc --no-notes --parents --children --pickaxe-regex"
)
_NAMES = "-a -r -v -l --all --remotes --verbose --list --show-current --no-color"
# Git runs itself in a submodule, with the submodule's config and without our switches.
_DIFF_SWITCHES = (
    "--no-ext-diff",
    "--no-textconv",
    "--submodule=short",
    "--ignore-submodules=dirty",
)
# Options with which the output depends on the contents of files: it prints them, or tells whether a
# text is in them, which one guess after another finds out.
_PATCH = "-S -G -p -u -U -c -m -L --patch --unified --word-diff --color-words --cc --check"


@dataclass(frozen=True, slots=True)
class _Subcommand:
    """The allowed options of a subcommand, what it prints, and the switches to add.

    With other operands than `only`, it does more than read; None: it reads with any.
    """

    options: str
    prints: GitContent = "none"
    switches: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None


_SUBCOMMANDS: dict[str, _Subcommand] = {
    "blame": _Subcommand(
        "-L= -w -M? -C? -e -l -s -t -c -n --date= --porcelain", "history", ("--no-textconv",)
    ),
    "branch": _Subcommand(f"{_NAMES} --contains= --merged= --no-merged=", only=()),
    "check-ignore": _Subcommand("-v -q -n --verbose --quiet --non-matching --no-index"),
    "diff": _Subcommand(
        f"{_DIFF} --cached --staged --merge-base --relative", "history", _DIFF_SWITCHES
    ),
    "grep": _Subcommand(
        "-n -i -w -v -l -L -c -E -F -G -P -I -H -h -p -W -q -e= -A= -B= -C= -# --cached --count "
        "--line-number --ignore-case --word-regexp --files-with-matches --name-only --no-color "
        "--color=? --heading --break --and --or --not --all-match --max-depth= --fixed-strings "
        "--extended-regexp --perl-regexp --no-textconv",
        "history",
        ("--no-textconv", "--no-recurse-submodules"),
    ),
    "log": _Subcommand(_LOG, "none", _DIFF_SWITCHES),
    "ls-files": _Subcommand(
        "-c -d -m -o -i -s -u -k -t -v -z --cached --deleted --modified --others --ignored --stage "
        "--unmerged --exclude-standard --directory --full-name --error-unmatch --eol"
    ),
    "ls-tree": _Subcommand(
        "-d -r -t -l -z --name-only --name-status --long --full-name --full-tree"
    ),
    "merge-base": _Subcommand("-a --all --is-ancestor --fork-point --octopus --independent"),
    "reflog": _Subcommand("-n= -# --date= --oneline --no-color --all", only=()),
    "remote": _Subcommand("-v --verbose", only=()),
    "rev-parse": _Subcommand(
        "-q --quiet --verify --short=? --abbrev-ref=? --show-toplevel --show-prefix --git-dir "
        "--git-common-dir --is-inside-work-tree --is-bare-repository"
    ),
    "show": _Subcommand(_LOG, "history", _DIFF_SWITCHES),
    "stash": _Subcommand("", only=("list",)),
    "status": _Subcommand(
        "-s -b -u? -z --short --branch --porcelain=? --long --show-stash --ahead-behind "
        "--no-ahead-behind --untracked-files=? --ignored=? --no-renames",
        switches=("--ignore-submodules=dirty",),
    ),
    "tag": _Subcommand("-l -n? --list --contains= --merged= --points-at=", only=()),
    "version": _Subcommand(""),
    "--version": _Subcommand("", only=()),
    "-v": _Subcommand("", only=()),
    "worktree": _Subcommand("--porcelain -v", only=("list",)),
}
_HARMLESS = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"})
# With one of these, operands are patterns for a list; without, they name what is made or changed.
_LISTS = frozenset({"-l", "--list", "--contains", "--merged", "--no-merged", "--points-at"})
# A repository's config can name programs; git that only reads must not run them. A partial clone
# would fetch missing objects with a program that its config names.
SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.alternateRefsCommand=true",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=true",
    "credential.helper=",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "status.submoduleSummary=false",
    "log.showSignature=false",
    *(f"gpg{name}.program=false" for name in ("", ".openpgp", ".x509", ".ssh")),
    "protocol.allow=never",
    *(f"protocol.{name}.allow=never" for name in ("ext", "file", "git", "http", "https", "ssh")),
)
"""The settings with which git runs that only reads."""


def with_switches(argv: Sequence[str], settings: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a git command that only reads with its switches, and more settings.

    >>> with_switches(["git", "status"], ["filter.x.clean="])[-4:]
    ('protocol.ssh.allow=never', '-c', 'filter.x.clean=', 'status')
    """
    words = ["git", "--no-pager", "--no-optional-locks"]
    for setting in (*SETTINGS, *settings):
        words += ["-c", setting]
    return (*words, *argv[1:])


def needs_variable(setting: str) -> bool:
    """Return whether the name of a setting has an equals sign; no value that we set has one.

    Git takes such a name from variables only: `-c` ends a name at the first equals sign.

    >>> needs_variable("filter.x.clean="), needs_variable("filter.x=y.clean=")
    (False, True)
    """
    return setting.count("=") > 1


def judge_git(words: Sequence[str]) -> ReadCommand | NotRead:
    """Return what git reads, or why it is not asked to only read; `words` follow `git`.

    >>> judge_git(["log", "-3"]).git, judge_git(["log", "-p"]).git, judge_git(["diff"]).git
    ('none', 'history', 'present')
    >>> judge_git(["-c", "core.pager=x", "log"]), judge_git(["push"])
    (NotRead(why='git with -c may run other programs'), NotRead(why='`git push` needs your approval'))
    """
    rest = list(dropwhile(_HARMLESS.__contains__, words))
    name, rest = "".join(rest[:1]), rest[1:]
    subcommand = _SUBCOMMANDS.get(name)
    if subcommand is None:
        return _not_known(name)

    parsed = parse_options(rest, subcommand.options, stops=name == "grep")
    if isinstance(parsed, NotAllowed):
        return NotRead(f"git {name} with {parsed.option[:60]} may do more than read")

    why = _why_not_operands(name, subcommand, parsed)
    if why:
        return NotRead(why)

    operands, from_dashes = parsed.operands, parsed.from_dashes
    if name == "grep" and "-e" not in parsed.names:
        # The first one is the pattern. Git skips a `--` in front of it: revisions may follow.
        operands, from_dashes = operands[1:], (from_dashes or len(operands)) - 1
    if name == "blame":
        # The older order is `-- PATH REVISION`.
        from_dashes = len(operands)

    revisions = operands[:from_dashes]
    argv = ("git", name, *subcommand.switches, *rest)
    prints = _prints(name, parsed, revisions)
    return ReadCommand(argv, operands, git=prints, revisions=revisions)


def _not_known(name: str) -> NotRead:
    if name.startswith("-"):
        return NotRead(f"git with {name[:60]} may run other programs")
    line = f"git {name[:60]}".rstrip()
    return NotRead(f"`{line}` needs your approval")


def _why_not_operands(name: str, subcommand: _Subcommand, parsed: ParsedOptions) -> str | None:
    """Return why a subcommand that lists would make or change something with these operands."""
    if subcommand.only in {None, parsed.operands}:
        return None
    if not _LISTS.isdisjoint(parsed.names):
        return None

    words = " ".join((name, *parsed.operands))
    return f"`git {words[:60]}` needs your approval"


def _prints(name: str, parsed: ParsedOptions, revisions: Sequence[str]) -> GitContent:
    """Return which contents of files the subcommand may print."""
    if name == "log" and not set(_PATCH.split()).isdisjoint(parsed.names):
        return "history"
    if name in {"diff", "grep"} and {"HEAD"}.issuperset(revisions):
        return "present"

    return _SUBCOMMANDS[name].prints
