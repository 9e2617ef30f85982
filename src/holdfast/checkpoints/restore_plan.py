"""The restore plan: which differences from a checkpoint are written, and which stay.

Paths that the checkpoint could not know are never removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.checkpoints.ports import Blocked, FileInfo, WorktreeView
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
    """

    captures: tuple[str, ...]
    keep: tuple[KeptDifference, ...]


@dataclass(frozen=True, slots=True)
class RestoreFacts:
    """What the rules know besides the difference itself.

    `skipped` are paths that the target skipped. `ignored` are removals that ignore rules match now
    and that the user does not track, or that the target's own rules match. `outside` are removals
    that a sparse checkout kept off the disk then. `old_directories` are directories that the target
    has. `arriving` are paths that only the target has, and `arriving_parents` their directories.
    `asked` are paths that the user wants to keep, or directories.
    """

    skipped: frozenset[str]
    ignored: Collection[str]
    outside: Collection[str]
    old_directories: Collection[str]
    arriving: frozenset[str]
    arriving_parents: frozenset[str]
    worktree: WorktreeView
    asked: Collection[str] = ()


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
) -> RestorePlan | Blocked:
    """Return what to capture first and what stays, or what blocks the restore.

    The parameters are explained at `RestoreFacts`.
    """
    arriving = [
        each.path for each in differences if _is_arriving(each) and not is_under(each.path, asked)
    ]
    captured = {each.path for each in differences if each.before}
    captures = _find_captures(arriving, captured, worktree)
    if isinstance(captures, Blocked):
        return captures
    arriving_parents: set[str] = set()
    for path in arriving:
        arriving_parents.update(parents_of(path))
    facts = RestoreFacts(
        skipped=frozenset(each.path for each in skipped),
        ignored=ignored,
        outside=outside,
        old_directories=old_directories,
        arriving=frozenset(arriving),
        arriving_parents=frozenset(arriving_parents),
        worktree=worktree,
        asked=asked,
    )
    keep: list[KeptDifference] = []
    for each in differences:
        if _is_asked(each, facts) and _is_in_the_way(each, facts):
            return Blocked(each.path, f"{each.path}: the checkpoint needs the place of this")
        rule = rule_for(each, facts)
        if rule.action == "keep":
            keep.append(KeptDifference(each, rule.reason))
    return RestorePlan(captures, tuple(keep))


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
    return any(each in directories for each in (*parents_of(path), path))


# ------------------------------------------------------------------------------------------ rules


def _is_asked(difference: Difference, facts: RestoreFacts) -> bool:
    return is_under(difference.path, facts.asked)


def _is_submodule(difference: Difference, _: RestoreFacts) -> bool:
    return _has_gitlink(difference)


def _is_in_the_way(difference: Difference, facts: RestoreFacts) -> bool:
    """Return whether the target has a file in place of a directory here, or the reverse."""
    if difference.path in facts.arriving_parents:
        return True
    return is_under(difference.path, facts.arriving)


def _is_in_target(difference: Difference, _: RestoreFacts) -> bool:
    return difference.after is not None


def _is_new_rule(difference: Difference, facts: RestoreFacts) -> bool:
    """Return whether a removal is a `.gitignore` in a directory that the target has."""
    directory, _, name = difference.path.rpartition("/")
    return name == ".gitignore" and (not directory or directory in facts.old_directories)


def _was_skipped_by_target(difference: Difference, facts: RestoreFacts) -> bool:
    return is_under(difference.path, facts.skipped)


def _is_in_nested_repository(difference: Difference, facts: RestoreFacts) -> bool:
    return facts.worktree.in_nested_repository(difference.path)


def _was_outside_sparse_checkout(difference: Difference, facts: RestoreFacts) -> bool:
    return difference.path in facts.outside


def _is_ignored(difference: Difference, facts: RestoreFacts) -> bool:
    return difference.path in facts.ignored


# The first rule that applies decides. Those after `_is_in_target` are about removals.
RULES: tuple[PlanRule, ...] = (
    PlanRule(_is_asked, "keep", "you asked to keep it"),
    PlanRule(_is_submodule, "keep", "a submodule has a history of its own"),
    PlanRule(_is_in_the_way, "write", "a path of the target needs its place"),
    PlanRule(_is_in_target, "write", "the target has the path"),
    PlanRule(_was_skipped_by_target, "keep", "the checkpoint had left it out"),
    PlanRule(_is_in_nested_repository, "keep", "a repository inside has a history of its own"),
    PlanRule(_was_outside_sparse_checkout, "keep", "the sparse checkout has it since"),
    PlanRule(_is_new_rule, "write", "the target has other ignore rules"),
    PlanRule(_is_ignored, "keep", "it is ignored, and newer than the checkpoint"),
)
_OTHERWISE = PlanRule(lambda *_: True, "write", "the target does not have the path")


# ------------------------------------------------------------------------------------- collisions


def _is_arriving(difference: Difference) -> bool:
    """Return whether only the target has the path, as a file or a symlink."""
    if difference.before is not None or difference.after is None:
        return False
    return not _has_gitlink(difference)


def _has_gitlink(difference: Difference) -> bool:
    entries = (difference.before, difference.after)
    return any(entry is not None and entry.mode == GITLINK for entry in entries)


def _find_captures(
    arriving: Sequence[str], captured: Collection[str], worktree: WorktreeView
) -> tuple[str, ...] | Blocked:
    """Return what to capture because arriving paths replace it, or what cannot be captured."""
    captures: dict[str, None] = {}
    known_directories: dict[str, bool] = {}
    for path in arriving:
        obstacle = _first_obstacle(path, known_directories, worktree)
        if obstacle in captured or obstacle in captures:
            continue
        info = worktree.inspect(obstacle)
        blocked = _blocked_by(obstacle, info, path, captured, worktree)
        if blocked is not None:
            return blocked
        if info.shape in {"file", "link"}:
            captures[obstacle] = None
    return tuple(captures)


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
    if info.shape == "other" or not info.readable:
        return Blocked(
            obstacle, f"{obstacle}: no checkpoint can capture this, and {path} would replace it"
        )
    return None
