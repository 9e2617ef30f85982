"""The repository that all recipes work in, and the yardstick: a warm `git status` in it."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# What the machine's owner has set must not be measured; a gc in the background would disturb all that follows.
QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "gc.auto",
    "GIT_CONFIG_VALUE_0": "0",
    "GIT_AUTHOR_NAME": "Bench",
    "GIT_AUTHOR_EMAIL": "bench@localhost",
    "GIT_COMMITTER_NAME": "Bench",
    "GIT_COMMITTER_EMAIL": "bench@localhost",
}
CHANGED = 10
_DONE = "bench-scene"


@dataclass(frozen=True, slots=True)
class Size:
    """How many files of each kind."""

    tracked: int
    untracked: int
    ignored: int

    @property
    def name(self) -> str:
        """A name for the folder and the table."""
        return f"{self.tracked}-{self.untracked}-{self.ignored}"


def environment() -> dict[str, str]:
    """The caller's environment without git's variables, and with those that keep it quiet."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith("GIT_")
    } | QUIET


@dataclass(frozen=True, slots=True)
class Cost:
    """The time that passed, and the time of processors that this process and its children took, in seconds."""

    wall: float
    cpu: float


def cost_of(act: Callable[[], object]) -> Cost:
    """Do something, and measure it."""
    begun, cpu = time.perf_counter(), _cpu()
    act()
    return Cost(time.perf_counter() - begun, _cpu() - cpu)


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


class Scene:
    """One repository on the disk."""

    def __init__(self, root: Path, size: Size, base: str) -> None:
        self.root = root
        self.size = size
        self.base = base
        self._round = 0

    def git(self, *words: str, **variables: str) -> str:
        env = {**environment(), **variables}
        ran = subprocess.run(
            ["git", *words], cwd=self.root, env=env, check=True, stdout=subprocess.PIPE
        )
        return ran.stdout.decode().strip()

    def status(self) -> Cost:
        """What a `git status` takes."""
        return cost_of(lambda: self.git("status"))

    def change(self) -> None:
        """Give ten tracked files, spread over the tree, content that no object has yet."""
        self._round += 1
        for file in self.changing():
            file.write_text(
                f"changed in round {self._round} at {time.time_ns()}\n" * 20, encoding="utf-8"
            )

    def changing(self) -> list[Path]:
        step = max(1, self.size.tracked // CHANGED)
        return [self.root / tracked(number * step) for number in range(CHANGED)]

    def content(self) -> list[bytes]:
        return [file.read_bytes() for file in self.changing()]

    def set_back(self) -> None:
        """HEAD, index and files as they were made, also after a run that was stopped."""
        (self.root / ".git" / "index.lock").unlink(missing_ok=True)
        self.git("reset", "-q", "--mixed", self.base)
        self.git("checkout", "-q", "--", ".")
        self.git("prune", "--expire=now")


def tracked(number: int) -> str:
    """Some 25 files a directory, directories of directories: as source code lies."""
    return f"src/{number // 1000}/{number // 25 % 40}/file{number}.txt"


def find_scene(place: Path, size: Size) -> Scene:
    """The repository of this size below a folder; made if it is not there, or not whole."""
    root = place / size.name
    done = root / ".git" / _DONE
    if not done.exists():
        shutil.rmtree(root, ignore_errors=True)
        _make(root, size)
    # Not HEAD: a run that was stopped in the naive recipe has left it elsewhere.
    scene = Scene(root, size, done.read_text(encoding="ascii"))
    scene.set_back()
    return scene


def _make(root: Path, size: Size) -> None:
    root.mkdir(parents=True)
    _git(root, "init", "-q", "-b", "main")
    for number in range(size.tracked):
        _write(root / tracked(number), f"tracked {number}\n" * 20)
    _write(root / ".gitignore", "ignored/\n")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "the files")
    _git(root, "gc", "-q")
    for number in range(size.untracked):
        _write(root / f"new/{number // 25}/{number}.txt", f"untracked {number}\n" * 20)
    for number in range(size.ignored):
        _write(root / f"ignored/{number // 100}/{number}.bin", f"ignored {number}\n")
    (root / ".git" / _DONE).write_text(_git(root, "rev-parse", "HEAD"), encoding="ascii")


def _git(root: Path, *words: str) -> str:
    ran = subprocess.run(
        ["git", *words], cwd=root, env=environment(), check=True, stdout=subprocess.PIPE
    )
    return ran.stdout.decode().strip()


def _write(file: Path, text: str) -> None:
    if not file.parent.is_dir():
        file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")


def nested_repositories(root: Path) -> Iterator[Path]:
    """Every `.git` directory but the root's own."""
    for directory, names, _ in os.walk(root):
        here = Path(directory)
        if ".git" in names:
            names.remove(".git")
            if here != root:
                yield here / ".git"


def sizes(words: str) -> Sequence[Size]:
    """Read `100000+5000+20000,5000`."""
    numbers = [[int(part) for part in word.split("+")] for word in words.split(",")]
    return [Size(*(each + [each[0] // 20, each[0] // 5][len(each) - 1 :])) for each in numbers]
