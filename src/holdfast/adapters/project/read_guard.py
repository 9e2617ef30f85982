"""What commands that run unasked would find in a project: programs, secrets, contents in git."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git, disabling_settings
from holdfast.adapters.places.main_worktree import is_inside_or_named, settings_files
from holdfast.adapters.plain_file import file_mark, open_plain
from holdfast.adapters.processes.git_environment import environment, options_of
from holdfast.adapters.processes.project_programs import program_outside
from holdfast.adapters.project.project_files import git
from holdfast.adapters.project.secret_files import files_in, find_secret_files, is_secret_file
from holdfast.guards.secrets import is_secret, values_in
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from holdfast.guards.shell.read_command import GitContent

_SECONDS = 5.0
"""How long the history is searched for names of secrets before git is asked for."""
_LARGEST_SECRET = 100_000
_READ = 1 << 16
_INDEX_AND_TREE = lazy_pattern(rb"(?P<index>[^\n]+)\n(?P<tree>[0-9a-f]*)\n?")
# Git names an object once, by the path at which it finds it first. So names are taken from what
# each commit changes: a version is in a parent of the commit too, or differs from all parents.
_ENTRIES = ("--raw", "-c", "--root", "-z", "--no-renames", "--no-abbrev")
_VERSIONS = ("log", "--all", "--reflog", "--format=", "--no-show-signature", *_ENTRIES)
_OBJECTS = ("rev-list", "--objects", "--all", "--reflog", "--indexed-objects")
# With these files a commit has other parents than it says; replaced objects are refs.
_ENDS = ("--git-path", "shallow", "--git-path", "info/grafts")
_PATTERN = lazy_pattern(r"[*?\[]")
_INCLUSION = lazy_pattern(r"include(?:if)?\.")
_NO_ANSWER = "git did not list what it has, so it may print files with secrets"
_TOO_LONG = "the history is too long to search it for files with secrets in time"


class _Output:
    """What a process prints, in parts. `whole`: it has ended by itself, without an error."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child

    def parts(self, end: bytes) -> Iterator[bytes]:
        """Yield the parts, each without its end."""
        rest = b""
        while self._child.stdout and (read := os.read(self._child.stdout.fileno(), _READ)):
            *parts, rest = (rest + read).split(end)
            yield from parts

    def versions(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield the new object and the path of each entry of `--raw -z`: two parts."""
        parts = self.parts(b"\0")
        for entry, path in zip(parts, parts, strict=False):
            modes_and_objects = entry.split()
            yield modes_and_objects[-2], path

    def blobs(self) -> Iterator[bytes]:
        """Yield the content of each blob in the output of `cat-file --batch`."""
        stream = self._child.stdout
        while stream and (heading := stream.readline()):
            _, kind, *size = heading.split()
            if size:
                content = stream.read(int(size[0]) + 1)
                yield content[:-1] if kind == b"blob" else b""

    @property
    def whole(self) -> bool:
        return self._child.wait() == 0


class DiskReadGuard:
    """The project at a root (port `ReadGuard`)."""

    def __init__(self, root: str) -> None:
        """Look at nothing yet."""
        self._root = os.path.realpath(root)
        self._histories: dict[object, str | None] = {}
        self._present: tuple[object, str | None] | None = None
        self._settings: tuple[object, tuple[str, ...]] | None = None
        self._values: set[str] = set()

    def program(self, name: str) -> str | None:
        """Return the path of a program on the PATH, without the directories of the project."""
        return program_outside(name, Path(self._root))

    def why_not_files(self) -> str | None:
        """Return why the files with secrets cannot all be masked, or None if they can."""
        gap = find_secret_files(self._root).gap
        if not gap:
            return None
        return f"files with secrets in the project can be read: {gap}"

    def is_secret(self, path: str, at: str) -> bool:
        """Return whether a file has secrets: by its name, its real path, or another name of it."""
        return is_secret_file(self._root, path, at)

    def secret_values(self, *, git: bool = False) -> tuple[str, ...] | None:
        """Return the values that files with secrets have or had at an earlier call, longest first.

        With `git` also those in versions of such files that git has; None if not all were found.
        """
        values = self._values_in_history() if git else set()
        if values is None:
            return None

        for path in files_in(find_secret_files(self._root).paths):
            try:
                with open_plain(path) as file:
                    text = file.read(_LARGEST_SECRET).decode("utf-8", "replace")
            except OSError:
                # Removed meanwhile, or not readable for a command either.
                continue
            values |= values_in(text)

        self._values |= values
        return tuple(sorted(self._values, key=len, reverse=True))

    def why_not_git(self, content: GitContent, operands: Sequence[str] = ()) -> str | None:
        """Return why git that prints this content needs approval, or None."""
        asked = ("--show-toplevel", "--git-path", "index", "--revs-only", "HEAD^{tree}")
        found = git(self._root, "rev-parse", *asked)
        if found is None:
            return self._why_no_answer()

        here = os.fsencode(self._root) + b"\n"
        state = _INDEX_AND_TREE.fullmatch(found.removeprefix(here))
        if state is None or not found.startswith(here):
            return "the repository has files outside the project"
        if not is_inside_or_named(Path(self._root)):
            return "the repository is elsewhere, and does not name this project"
        if content == "none":
            return None

        why = self._why_not_present(os.fsdecode(state["index"]), state["tree"])
        if why is None and content == "history":
            why = self._why_not_history() or self._why_not_objects(operands)

        return why

    def _why_no_answer(self) -> str | None:
        """Return that git has failed or took too long; None if there is no repository to print."""
        for folder in (Path(self._root), *Path(self._root).parents):
            is_bare = (folder / "HEAD").is_file() and (folder / "objects").is_dir()
            if is_bare or os.path.lexists(folder / ".git"):
                return _NO_ANSWER
        return None

    def _why_not_present(self, index: str, tree: bytes) -> str | None:
        """Search the names in the index and in HEAD; again only after one of them has changed."""
        state = (file_mark(Path(self._root, index)), tree)
        if self._present is None or self._present[0] != state:
            self._present = (state, self._search_present(tree.decode("ascii")))
        return self._present[1]

    def _search_present(self, tree: str) -> str | None:
        """Return why git may print a secret of the index or of HEAD's tree, if there is one."""
        lists: list[tuple[str, ...]] = [("ls-files", "-z")]
        if tree:
            lists.append(("ls-tree", "-r", "-z", "--name-only", tree))
        for words in lists:
            listed = git(self._root, *words)
            if listed is None:
                return _NO_ANSWER
            why = _why_not_names(listed.split(b"\0"))
            if why:
                return why
        return None

    def _why_not_history(self) -> str | None:
        """Search the names of all objects that a reference or a reflog reaches.

        Search again only after one of them leads elsewhere, or a commit has other parents.
        """
        refs = git(self._root, "for-each-ref", "--format=%(objectname)")
        commits = git(self._root, "rev-list", "--no-walk", "--all", "--reflog")
        ends = git(self._root, "rev-parse", *_ENDS)
        if refs is None or commits is None or ends is None:
            return _NO_ANSWER
        marks = [file_mark(Path(self._root, os.fsdecode(path))) for path in ends.split(b"\n")]
        state = (refs, commits, tuple(marks))
        if state not in self._histories:
            self._histories[state] = self._search_history()
        return self._histories[state]

    def _search_history(self) -> str | None:
        """Return why git may print a secret of the history, or None if that has none."""
        why = self._why_not_tags()
        if why is not None:
            return why

        with self._git(*_VERSIONS) as output:
            why = _why_not_names(path for _, path in output.versions())
            if why is None and not output.whole:
                return _TOO_LONG
        return why

    def _why_not_tags(self) -> str | None:
        """Return why git may print a content without a name, which may be a secret; or None."""
        types = "%(refname) %(objecttype) %(*objecttype)"
        refs = git(self._root, "for-each-ref", f"--format={types}")
        if refs is None:
            return _NO_ANSWER
        for line in refs.splitlines():
            name, *found = line.split()
            # A tag of a tag may be one of anything, and the names in a tree are in no commit.
            if found[-1] != b"commit":
                return f"git may print what {os.fsdecode(name)} leads to, a file without a name"
        return None

    def _why_not_objects(self, operands: Sequence[str]) -> str | None:
        """Return why git may print an object that the search of the history has not seen.

        Such are what was fetched and never merged, or added and never committed. What is reached
        from an object in the history is in the history too.
        """
        ids: set[bytes] = set()
        for word in operands:
            if word.startswith("-"):
                continue
            named = git(self._root, "rev-parse", "--revs-only", word) or b""
            if not named and not self._is_path(word):
                return f"it is not known what git reads for {word}"
            # What is left out (`^`) is printed too: as the other side of a difference.
            ids.update(line.removeprefix(b"^") for line in named.split())

        if not ids:
            return None

        words = ("rev-list", "--objects", "--missing=allow-any", "--max-count=1")
        begins = [each.decode("ascii") for each in ids]
        if git(self._root, *words, *begins, "--not", "--all", "--reflog") == b"":
            return None

        with self._git(*_OBJECTS, "--missing=allow-any") as output:
            for line in output.parts(b"\n"):
                ids.discard(line.partition(b" ")[0])
                if not ids:
                    return None

        return "git may print an object that no branch, tag or reflog reaches"

    def _is_path(self, word: str) -> bool:
        """Return whether git takes a word that is no revision for a path."""
        if _PATTERN.search(word):
            return True
        return os.path.lexists(os.path.join(self._root, word))  # noqa: PTH118 - a word need not be a path

    def _values_in_history(self) -> set[str] | None:
        """Return the values in all versions of files with secrets that git has.

        Return None if the time was not enough for all, or if git has failed.
        """
        objects: set[bytes] = set()
        with self._git(*_VERSIONS) as output:
            for found, path in output.versions():
                if is_secret(os.fsdecode(path)):
                    objects.add(found)
            if not output.whole:
                return None

        staged = git(self._root, "ls-files", "--stage", "-z")
        if staged is None:
            return None
        for entry in staged.split(b"\0"):
            mode_object_stage, _, path = entry.partition(b"\t")
            if is_secret(os.fsdecode(path)):
                objects.add(mode_object_stage.split()[1])

        return self._values_of(objects)

    def _values_of(self, objects: Collection[bytes]) -> set[str] | None:
        """Return the values in these objects; None if the time was not enough for all."""
        values: set[str] = set()
        with tempfile.TemporaryFile() as names:
            names.write(b"".join(name + b"\n" for name in objects))
            names.seek(0)
            with self._git("cat-file", "--batch", stdin=names.fileno()) as output:
                for text in output.blobs():
                    values |= values_in(text[:_LARGEST_SECRET].decode("utf-8", "replace"))
                return values if output.whole else None

    @contextmanager
    def _git(self, *words: str, stdin: int = subprocess.DEVNULL) -> Iterator[_Output]:
        """Run git, for some seconds at most."""
        with subprocess.Popen(  # noqa: S603 - a list of words, no shell
            ["git", *options_of(), *words],  # noqa: S607 - the user's git, as the user would find it
            cwd=self._root,
            env=environment({}, Path(self._root)),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as child:
            timer = threading.Timer(_SECONDS, child.kill)
            timer.start()
            try:
                yield _Output(child)
            finally:
                timer.cancel()
                child.kill()

    def git_settings(self) -> tuple[str, ...]:
        """Return settings that switch off the filters which the repository itself defines.

        Git is asked again only after a file with such settings has changed.
        """
        state = tuple(map(file_mark, settings_files(Path(self._root))))
        if self._settings is None or self._settings[0] != state:
            own = Git(Path(self._root)).own_settings()
            if not own or any(map(_INCLUSION.match, own)):
                # They may be in any file.
                return disabling_settings(own)
            self._settings = (state, disabling_settings(own))
        return self._settings[1]


def _why_not_names(names: Iterable[bytes]) -> str | None:
    """Return why git may print a secret, if one of the names is that of a file with secrets."""
    for name in names:
        path = os.fsdecode(name)
        if is_secret(path):
            return f"git may print {path}, which may hold secrets"
    return None
