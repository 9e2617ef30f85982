"""The restore plan: which differences from a checkpoint are written, and which stay.

Paths that the checkpoint could not know are never removed.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.checkpoints.ports import Blocked, FileInfo, FileShape, WorktreeView
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from holdfast.checkpoints.checkpoint import Skipped
    from holdfast.checkpoints.difference import Difference

GITLINK = "160000"

PlanAction: TypeAlias = Literal["keep", "write"]
"""`keep` leaves a path as it is in the working tree, `write` makes it the target's."""


@dataclass(frozen=True, slots=True)
class KeptDifference:
    """A difference that a restore leaves as it is, and why."""

    difference: Difference
    reason: str


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """Paths to capture before a restore, and differences that it leaves as they are.

    `captures` are on the disk where the target has something else, and no snapshot has them yet.
    `special` are pipes, sockets and devices there: no snapshot can have them, and nothing is lost
    with them.
    """

    captures: tuple[str, ...]
    keep: tuple[KeptDifference, ...]
    special: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RestoreFacts:
    """What the rules know besides the difference itself.

    `skipped` are paths that the target skipped. `ignored` are removals that ignore rules match now
    and that the user does not track, or that the target's own rules match. `outside` are removals
    that a sparse checkout kept off the disk then. `old_directories` are directories that the target
    has. `arriving` are paths that only the target has, and `arriving_parents` their directories.
    `asked` are paths that the user wants to keep, or directories. `known_whole` are repositories
    inside of which the target has all files, and an undo may remove what a restore has put there.
    """

    skipped: frozenset[str]
    ignored: Collection[str]
    outside: Collection[str]
    old_directories: Collection[str]
    arriving: frozenset[str]
    arriving_parents: frozenset[str]
    worktree: WorktreeView
    asked: Collection[str] = ()
    known_whole: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class PlanRule:
    """What a restore does with the differences that a condition matches, and why."""

    applies: Callable[[Difference, RestoreFacts], bool]
    action: PlanAction
    reason: str


def plan_restore(
    differences: Sequence[Difference],
    skipped: Iterable[Skipped],
    ignored: Collection[str],
    worktree: WorktreeView,
    *,
    outside: Collection[str] = (),
    old_directories: Collection[str] = (),
    asked: Collection[str] = (),
    known_whole: Collection[str] = (),
) -> RestorePlan | Blocked:
    """Return what to capture first and what stays, or what blocks the restore.

    The parameters are explained at `RestoreFacts`.
    """
    arriving = _arriving_paths(differences, asked)
    captured = {each.path for each in differences if each.before}
    obstacles = _find_obstacles(arriving, captured, worktree)
    if isinstance(obstacles, Blocked):
        return obstacles

    arriving_parents = chain.from_iterable(map(parents_of, arriving))
    facts = RestoreFacts(
        skipped=frozenset(each.path for each in skipped),
        ignored=ignored,
        outside=outside,
        old_directories=old_directories,
        arriving=frozenset(arriving),
        arriving_parents=frozenset(arriving_parents),
        worktree=worktree,
        asked=asked,
        known_whole=known_whole,
    )
    keep = _kept_differences(differences, facts)
    if isinstance(keep, Blocked):
        return keep

    by_shape: dict[FileShape, list[str]] = defaultdict(list)
    for path, info in obstacles.items():
        by_shape[info.shape].append(path)

    captures = (*by_shape["file"], *by_shape["link"])
    return RestorePlan(captures, keep, tuple(by_shape["other"]))


def _arriving_paths(differences: Iterable[Difference], asked: Collection[str]) -> list[str]:
    """Return the paths that the target brings; what the user asked to keep is not replaced."""
    arriving = []
    for each in differences:
        if not _is_arriving(each):
            continue
        if not is_under(each.path, asked):
            arriving.append(each.path)

    return arriving


def _kept_differences(
    differences: Iterable[Difference], facts: RestoreFacts
) -> tuple[KeptDifference, ...] | Blocked:
    """Return the differences that stay, or the first that has to stay and cannot."""
    keep = []
    for each in differences:
        if _is_asked(each, facts) and _is_in_the_way(each, facts):
            return Blocked(each.path, f"{each.path}: the checkpoint needs the place of this")
        rule = rule_for(each, facts)
        if rule.action == "keep":
            keep.append(KeptDifference(each, rule.reason))

    return tuple(keep)


def rule_for(difference: Difference, facts: RestoreFacts) -> PlanRule:
    """Return the first rule that applies to a difference."""
    for rule in RULES:
        if rule.applies(difference, facts):
            return rule
    return _OTHERWISE


def removals(differences: Iterable[Difference]) -> tuple[str, ...]:
    """Return the paths that the target does not have."""
    return tuple(each.path for each in differences if each.after is None)


def parents_of(path: str) -> list[str]:
    """Return the directories above a path, the topmost first.

    >>> parents_of("a/b/c")
    ['a', 'a/b']
    """
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def is_under(path: str, directories: Collection[str]) -> bool:
    """Return whether the path is one of these, or below one of them."""
    itself_and_parents = {path, *parents_of(path)}
    return not itself_and_parents.isdisjoint(directories)


# ------------------------------------------------------------------------------------------ rules


def _is_asked(difference: Difference, facts: RestoreFacts) -> bool:
    return is_under(difference.path, facts.asked)


def _is_in_the_way(difference: Difference, facts: RestoreFacts) -> bool:
    """Return whether the target has a file in place of a directory here, or the reverse."""
    if difference.path in facts.arriving_parents:
        return True
    return is_under(difference.path, facts.arriving)


def _is_new_rule(difference: Difference, facts: RestoreFacts) -> bool:
    """Return whether a removal is a `.gitignore` in a directory that the target has."""
    directory, _, name = difference.path.rpartition("/")
    if name != ".gitignore":
        return False
    return directory in {"", *facts.old_directories}


# The first rule that applies decides. Those after "the target has the path" are about removals.
RULES: tuple[PlanRule, ...] = (
    PlanRule(_is_asked, "keep", "you asked to keep it"),
    PlanRule(
        lambda difference, _: _has_gitlink(difference),
        "keep",
        "a submodule has a history of its own",
    ),
    PlanRule(_is_in_the_way, "write", "a path of the target needs its place"),
    PlanRule(
        lambda difference, _: difference.after is not None,
        "write",
        "the target has the path",
    ),
    PlanRule(
        lambda difference, facts: is_under(difference.path, facts.known_whole),
        "write",
        "the target has all files of this repository",
    ),
    PlanRule(
        lambda difference, facts: is_under(difference.path, facts.skipped),
        "keep",
        "the checkpoint had left it out",
    ),
    PlanRule(
        lambda difference, facts: facts.worktree.in_nested_repository(difference.path),
        "keep",
        "a repository inside has a history of its own",
    ),
    PlanRule(
        lambda difference, facts: difference.path in facts.outside,
        "keep",
        "the sparse checkout has it since",
    ),
    PlanRule(_is_new_rule, "write", "the target has other ignore rules"),
    PlanRule(
        lambda difference, facts: difference.path in facts.ignored,
        "keep",
        "it is ignored, and newer than the checkpoint",
    ),
)
_OTHERWISE = PlanRule(lambda *_: True, "write", "the target does not have the path")


# ------------------------------------------------------------------------------------- collisions


def _is_arriving(difference: Difference) -> bool:
    """Return whether only the target has the path, as a file or a symlink."""
    if difference.before is not None or difference.after is None:
        return False
    return not _has_gitlink(difference)


def _has_gitlink(difference: Difference) -> bool:
    entries = filter(None, (difference.before, difference.after))
    return GITLINK in {entry.mode for entry in entries}


def _find_obstacles(
    arriving: Sequence[str], captured: Collection[str], worktree: WorktreeView
) -> dict[str, FileInfo] | Blocked:
    """Return what arriving paths replace and no snapshot has, or what may not be replaced."""
    obstacles: dict[str, FileInfo] = {}
    known_directories: dict[str, bool] = {}
    for path in arriving:
        obstacle = _first_obstacle(path, known_directories, worktree)
        if obstacle in captured or obstacle in obstacles:
            continue
        info = worktree.inspect(obstacle)
        blocked = _blocked_by(obstacle, info, path, captured, worktree)
        if blocked is not None:
            return blocked
        obstacles[obstacle] = info

    return obstacles


def _first_obstacle(path: str, known_directories: dict[str, bool], worktree: WorktreeView) -> str:
    """Return the first parent that is not a directory, else the path itself.

    Nothing beyond such a parent is inspected: it may be a symlink.
    """
    for parent in parents_of(path):
        if parent not in known_directories:
            known_directories[parent] = worktree.inspect(parent).shape == "directory"
        if not known_directories[parent]:
            return parent
    return path


def _blocked_by(
    obstacle: str,
    info: FileInfo,
    path: str,
    captured: Collection[str],
    worktree: WorktreeView,
) -> Blocked | None:
    """Return why `path` cannot be written in place of the obstacle, or None if it can be."""
    if info.shape == "directory":
        for name in worktree.below(obstacle):
            if name not in captured:
                return Blocked(
                    name, f"{name}: this is in no checkpoint, and the file {path} would replace it"
                )
        return None
    if not info.readable:
        what = f"{obstacle}: this cannot be read, so no checkpoint has it"
        return Blocked(obstacle, f"{what}, and {path} would replace it")

    return None
