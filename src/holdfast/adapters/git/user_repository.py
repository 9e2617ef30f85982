"""The user's own repository: where it is, what HEAD is, and the settings that count here.

It is only read. What git says of it is kept in a small file with the times of the files that it
depends on, because in a small repository each process more is noticeable.
"""

from __future__ import annotations

import json
import os
import re
import threading
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.git_command import Git, GitFailed, case_setting, to_text
from holdfast.adapters.places.main_worktree import git_directory
from holdfast.adapters.plain_file import LARGEST_PACKED, read_plain
from holdfast.adapters.processes.git_environment import INHERITED
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_VERSION = 1
_COMMIT = lazy_pattern(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_PLACES = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir")
# The variables that say which settings git reads, and which repositories it takes.
_VARIABLES = ("HOME", "XDG_CONFIG_HOME", *INHERITED)
_SYSTEM_CONFIG = "/etc/gitconfig"
# Settings that change the bytes of a file when git reads or writes it.
_CONVERSIONS = frozenset({"core.autocrlf", "core.eol", "core.attributesfile"})
_FALSE = frozenset({"false", "no", "off", "0"})


@dataclass(frozen=True, slots=True)
class Head:
    """The commit and branch of HEAD; both None before the first commit."""

    commit: str | None = None
    branch: str | None = None


NO_HEAD = Head()


@dataclass(frozen=True, slots=True)
class UserRepository:
    """A worktree of the user and its git directory.

    `common_dir` is the git directory that all worktrees share. `settings` are the user's settings
    below `core` and `extensions`, by their names in lower case. `config_files` have all settings;
    they are unknown if they depend on more than the files.
    """

    top: Path
    git_dir: Path
    common_dir: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    config_files: tuple[str, ...] | None = None

    @property
    def worktree(self) -> str:
        """The name of the worktree; a linked worktree may be called `main` too, so has a slash."""
        if self.git_dir == self.common_dir:
            return "main"
        return f"worktrees/{self.git_dir.name}"

    @property
    def object_format(self) -> str:
        """The hash of the objects: `sha1` or `sha256`."""
        return self.settings.get("extensions.objectformat", "sha1")

    @property
    def is_sparse(self) -> bool:
        """Whether a sparse checkout keeps some of the files off the disk."""
        return self.is_set("core.sparsecheckout")

    @property
    def excludes_file(self) -> Path:
        """The user's own file of ignore rules, which need not exist."""
        named = self.settings.get("core.excludesfile")
        if named:
            return Path(named).expanduser()
        home = os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser()
        return Path(home, "git", "ignore")

    def is_set(self, name: str) -> bool:
        """Return whether a setting is on."""
        return is_on(self.settings, name)

    def converts(self) -> bool:
        """Return whether a setting may change the bytes of files that git checks out."""
        return any(self.settings.get(name, "false").lower() != "false" for name in _CONVERSIONS)

    def attribute_files(self) -> tuple[Path, ...]:
        """Return the files of attributes outside the worktree."""
        home = os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser()
        return (
            self.common_dir / "info" / "attributes",
            Path(home, "git", "attributes"),
            Path("/etc/gitattributes"),
        )

    def read_head(self, deadline: float) -> Head:
        """Return HEAD; from its files if possible, else with git."""
        try:
            text = read_plain(self.git_dir / "HEAD").decode("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return NO_HEAD

        if _COMMIT.match(text):
            return Head(text)

        branch = text.removeprefix("ref: ")
        if self.settings.get("extensions.refstorage", "files") != "files":
            return self._query_head(deadline)

        commit = self._read_ref(branch)
        if commit is None:
            return NO_HEAD

        return Head(commit, branch)

    def _read_ref(self, name: str) -> str | None:
        for directory in (self.git_dir, self.common_dir):
            try:
                value = read_plain(directory / name).decode("ascii").strip()
            except (OSError, UnicodeDecodeError):
                continue
            if _COMMIT.match(value):
                return value

        try:
            packed = read_plain(self.common_dir / "packed-refs", LARGEST_PACKED)
        except OSError:
            return None

        line = rb"^([0-9a-f]+) " + re.escape(os.fsencode(name)) + rb"$"
        match = re.search(line, packed, re.MULTILINE)
        if match is None:
            return None

        return match[1].decode("ascii")

    def _query_head(self, deadline: float) -> Head:
        git = self.git(deadline)
        commit = _line(git, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        branch = _line(git, "symbolic-ref", "--quiet", "HEAD")
        if not commit:
            return NO_HEAD
        return Head(commit, branch or None)

    def git(self, deadline: float | None = None) -> Git:
        """Return git in this repository."""
        variables = {"GIT_DIR": str(self.git_dir), "GIT_WORK_TREE": str(self.top)}
        return Git(self.top, variables, deadline=deadline, settings=(case_setting(self.top),))


def find_marker(root: Path) -> Path | None:
    """Return the nearest directory that seems to be a worktree or a git directory, or None.

    As git does, it stops at the border of a file system, and at GIT_CEILING_DIRECTORIES.
    """
    ceilings = {Path(name) for name in os.environ.get("GIT_CEILING_DIRECTORIES", "").split(":")}
    device = root.stat().st_dev
    for directory in (root, *root.parents):
        if directory != root and directory in ceilings:
            return None
        if directory.stat().st_dev != device:
            return None
        if os.path.lexists(directory / ".git") or _is_git_directory(directory, directory):
            return directory

    return None


def has_broken_git(marker: Path) -> bool:
    """Return whether a directory has a `.git` that git does not take, and is no git directory."""
    return os.path.lexists(marker / ".git") and not _is_git_directory(marker, marker)


def why_settings_refused(marker: Path, error: GitFailed) -> str:
    """Return why git refuses a repository that is whole, "" if it is none: its settings are."""
    git_dir = git_directory(marker)
    if not _is_git_directory(git_dir, git_dir):
        return ""
    reason = " ".join(error.stderr.split()).rpartition("fatal: ")[2]
    return (
        f"{reason}; correct this in {git_dir / 'config'} (core.repositoryformatversion, "
        "extensions.*, core.bare)"
    )


def query_repository(root: Path, deadline: float) -> UserRepository:
    """Return what git says of the repository around a root; raise `GitFailed` if it refuses."""
    git = Git(root, deadline=deadline)
    settings, files = _read_settings(git)
    if _is_usual(root, settings, files):
        top = Path(os.path.realpath(root))
        return UserRepository(top, top / ".git", top / ".git", settings, files)

    marker = find_marker(root)
    has_files = marker is not None and os.path.lexists(marker / ".git")
    if has_files and is_on(settings, "core.bare"):
        # A command has set it: a folder with a `.git` is no bare repository.
        git = git.with_variables(work_tree=marker or root)

    found = os.fsdecode(git.run("rev-parse", *_PLACES)).split("\n")
    if len(found) != len(_PLACES) + 1:
        # A path has a newline in it, so each is queried on its own.
        found = [os.fsdecode(git.run("rev-parse", each)).removesuffix("\n") for each in _PLACES]

    top_level, git_dir, common_dir = found[:3]
    return UserRepository(
        Path(top_level),
        Path(os.path.realpath(git_dir)),
        Path(os.path.realpath(root / common_dir)),
        settings,
        files,
    )


def _is_usual(
    root: Path, settings: Mapping[str, str], config_files: tuple[str, ...] | None
) -> bool:
    """Return whether git takes the `.git` of a root, and nothing leads to files elsewhere.

    Git reads the settings of a repository only if it takes the repository.
    """
    git_dir = root / ".git"
    if git_dir.is_symlink() or not git_dir.is_dir():
        return False
    if str(git_dir / "config") not in (config_files or ()):
        return False
    if is_on(settings, "core.bare"):
        return False

    return "core.worktree" not in settings and not (git_dir / "commondir").exists()


def is_on(settings: Mapping[str, str], name: str) -> bool:
    """Return whether a setting is on."""
    return settings.get(name, "false").lower() not in _FALSE


def is_of_another_owner(root: Path, deadline: float) -> bool:
    """Return whether git refuses a repository only because of its owner."""
    git = Git(root, deadline=deadline, settings=("safe.directory=*",))
    try:
        git.run("rev-parse", "--absolute-git-dir")
    except GitFailed:
        return False
    return True


def refuse_broken_settings(root: Path, deadline: float) -> None:
    """Raise `CheckpointFailed` if git cannot read the settings of the user or of the system.

    Then every run of git fails, whatever the repository is.
    """
    try:
        Git(Path(root.anchor), deadline=deadline).run("config", "--list", "--name-only")
    except GitFailed as error:
        reason = error.stderr.strip().removeprefix("fatal: ")
        raise CheckpointFailed(
            f"{root}: git cannot read its settings: {reason}; correct this, and try again."
        ) from error


def read_cached(file: Path, marker: Path) -> UserRepository | None:
    """Return what git said of a repository, if nothing has changed since."""
    try:
        fields: Any = json.loads(file.read_bytes())
        if fields["version"] != _VERSION or fields["signature"] != _sign(marker, fields["files"]):
            return None
        repository = UserRepository(
            Path(fields["top"]),
            Path(fields["git_dir"]),
            Path(fields["common_dir"]),
            {str(name): str(value) for name, value in fields["settings"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None

    if repository.top != marker:
        # The worktree was moved; at its old path may be another one.
        return None
    if not _is_git_directory(repository.git_dir, repository.common_dir):
        return None

    return repository


def write_cached(file: Path, marker: Path, repository: UserRepository) -> None:
    """Write what git says of a repository, with the files that this depends on."""
    names: list[str] = []
    signature_now: list[Any] | None = None
    if repository.config_files is not None:
        names = sorted({*repository.config_files, *_usual_files(repository)})
        signature_now = _sign(marker, names)

    fields = {
        "version": _VERSION,
        "files": names,
        "signature": signature_now,
        "top": str(repository.top),
        "git_dir": str(repository.git_dir),
        "common_dir": str(repository.common_dir),
        "settings": dict(repository.settings),
    }
    # No lock is held here: each writer has a draft of its own.
    draft = file.with_name(f"{file.name}.{os.getpid()}-{threading.get_ident()}.draft")
    atomic_write.put(file, json.dumps(fields).encode("ascii"), sync=False, draft=draft)


def raise_refusal(root: Path, error: GitFailed) -> None:
    """Raise what git reports of a root where no checkpoint can be taken."""
    reason = error.stderr.strip().removeprefix("fatal: ")
    raise CheckpointFailed(f"{root}: git reports: {reason}") from error


def signature(file: Path) -> list[int] | None:
    """Return numbers that change when the file changes; None if it does not exist."""
    try:
        status = file.stat()
    except OSError:
        return None
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]


def _sign(marker: Path, files: Iterable[str]) -> list[Any]:
    status = (marker / ".git").lstat()
    variables = [os.environ.get(name) for name in _VARIABLES]
    # Of a directory the time changes with each command of git.
    content = None
    if not (marker / ".git").is_dir():
        content = status.st_mtime_ns

    return [status.st_dev, status.st_ino, content, variables, [signature(Path(f)) for f in files]]


def _usual_files(repository: UserRepository) -> list[str]:
    """Return the files of settings that may come to exist."""
    home = os.environ.get("HOME", "")
    config_home = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    return [
        os.environ.get("GIT_CONFIG_SYSTEM", _SYSTEM_CONFIG),
        os.environ.get("GIT_CONFIG_GLOBAL", f"{home}/.gitconfig"),
        f"{config_home}/git/config",
        str(repository.common_dir / "config"),
        str(repository.git_dir / "config.worktree"),
    ]


def _read_settings(git: Git) -> tuple[dict[str, str], tuple[str, ...] | None]:
    """Return the settings that count here, and the files that have settings.

    Return None for the files if which of them are included depends on the branch. Other settings
    are not kept: some are secrets.
    """
    fields = git.run("config", "--list", "-z", "--show-origin", "--includes").split(b"\0")
    settings: dict[str, str] = {}
    files: dict[str, None] = {}
    depends = False
    for origin, entry in zip(fields[::2], fields[1::2], strict=False):
        name, separator, value = to_text(entry).partition("\n")
        section = name.lower().partition(".")[0]
        depends = depends or section == "includeif"
        if section in {"core", "extensions"}:
            settings[name.lower()] = value if separator else "true"
        kind, _, file = os.fsdecode(origin).partition(":")
        if kind == "file":
            files[str(git.directory / file)] = None

    if depends:
        return settings, None

    return settings, tuple(files)


def _is_git_directory(git_dir: Path, common_dir: Path) -> bool:
    return (git_dir / "HEAD").is_file() and (common_dir / "objects").is_dir()


def _line(git: Git, *arguments: str) -> str:
    return to_text(git.run(*arguments, ok_codes=(0, 1, 128))).strip()
