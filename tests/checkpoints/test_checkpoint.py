"""Checkpoints by name, order and kind; and how they are written down."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoints import commit_message, retention
from holdfast.checkpoints.checkpoint import (
    AmbiguousCheckpoint,
    Checkpoint,
    CheckpointDraft,
    CheckpointKind,
    Skipped,
    WorktreeState,
    find,
    last_undo_checkpoint,
    orphans_of,
)


def _checkpoint(
    name: str,
    seq: int,
    kind: CheckpointKind = "turn",
    chat: str | None = None,
    since: int | None = None,
) -> Checkpoint:
    return Checkpoint(
        CheckpointDraft(name, kind, "now", chat=chat, state_sequence=since),
        WorktreeState("t"),
        seq,
        "c",
        "main",
    )


def test_an_id_may_be_shortened_as_long_as_one_is_meant() -> None:
    all_ = [_checkpoint("abc", 1), _checkpoint("abd", 2), _checkpoint("ab", 3), _checkpoint("x", 4)]
    assert find("abc", all_) == all_[0]
    assert find("ab", all_) == all_[2]
    assert find("a", all_) == AmbiguousCheckpoint(("abc", "abd", "ab"))
    assert find("", all_) is None
    assert find("y", all_) is None


def test_the_last_undo_checkpoint_is_the_latest_of_its_kind() -> None:
    all_ = [
        _checkpoint("a", 1, "undo"),
        _checkpoint("b", 3, "undo"),
        _checkpoint("c", 5, "undone"),
        _checkpoint("d", 6),
    ]
    assert last_undo_checkpoint(all_) == all_[1]
    assert last_undo_checkpoint(all_[2:]) is None


def test_only_what_was_taken_before_a_restore_or_an_undo_is_a_point() -> None:
    kinds: tuple[CheckpointKind, ...] = ("manual", "turn", "undo", "undone", "interrupted")
    assert [kind for kind in kinds if _checkpoint("a", 1, kind).is_undo_checkpoint] == [
        "undo",
        "undone",
    ]


def test_the_only_id_that_begins_so_is_meant() -> None:
    all_ = [_checkpoint("abc", 1), _checkpoint("x", 2)]
    assert find("a", all_) == all_[0]


def test_later_checkpoints_of_the_same_chat_are_orphans() -> None:
    one, two = _checkpoint("1", 1, chat="c"), _checkpoint("2", 2, chat="c")
    others = [
        _checkpoint("3", 3, chat="d"),
        _checkpoint("4", 4, "undo", chat="c"),
        _checkpoint("5", 5),
    ]
    assert orphans_of(one, [one, two, *others]) == ("2", "4")
    assert orphans_of(others[-1], [one, two, *others]) == ()


def test_to_go_back_to_a_point_orphans_what_came_after_the_checkpoint_that_it_led_away_from() -> (
    None
):
    one, two, three = (_checkpoint(str(seq), seq, chat="c") for seq in (1, 2, 3))
    point = _checkpoint("4", 4, "undone", chat="c", since=2)
    later = _checkpoint("5", 5, chat="c")
    assert orphans_of(point, [one, two, three, point, later]) == ("3", "5")


def test_a_checkpoint_of_before_points_knew_their_scope_can_be_read() -> None:
    old = Checkpoint(CheckpointDraft("a", "undo", "now"), WorktreeState("t"), 7, "c", "main")
    _, body = commit_message.write(old.draft, old.present, 7, "main").split("\n\n", 1)
    noted = json.loads(body)
    for name in (
        "files",
        "since",
        "usual",
        "directories",
        "empty",
        "inner",
        "keeps_ignored",
        "sparse",
    ):
        del noted[name]
    del noted["staged_tree"], noted["index"]
    assert commit_message.read("c", "t", json.dumps(noted)) == old


def test_the_latest_are_kept_by_their_order() -> None:
    all_ = [_checkpoint(str(seq), seq) for seq in (3, 1, 2)]
    assert retention.outdated(all_, 2) == ("1",)
    assert retention.outdated(all_, 0) == ("3", "2", "1")
    assert retention.outdated(all_, 9) == ()


def test_each_kind_is_counted_apart_and_what_a_user_has_taken_stays() -> None:
    kinds: list[CheckpointKind] = [
        "manual",
        "turn",
        "turn",
        "undo",
        "undone",
        "interrupted",
        "manual",
    ]
    all_ = [_checkpoint(str(seq), seq, kind=kind) for seq, kind in enumerate(kinds)]
    assert retention.over_limit(all_, 1) == ("4", "3", "1")
    assert retention.over_limit(all_, 0) == ("5", "4", "3", "2", "1")
    assert retention.over_limit(all_, 2) == ("3",)


def test_a_message_that_is_not_ours_is_no_checkpoint() -> None:
    for body in ("", "hello", "[]", "{}", '{"version": 99}', '{"version": 1}', "null"):
        assert commit_message.read("c", "t", body) is None


text = st.text(st.characters(codec=None), max_size=20)
maybe = st.none() | text
draft = st.builds(
    CheckpointDraft,
    text,
    st.just("turn"),
    text,
    text,
    maybe,
    maybe,
    maybe,
    maybe,
    st.booleans(),
    st.none() | st.integers(0, 99),
    st.booleans(),
)
present = st.builds(
    WorktreeState,
    st.just("t"),
    st.none() | text,
    st.none() | text,
    st.none() | text,
    st.lists(st.builds(Skipped, text, st.just("too large"))).map(tuple),
    st.dictionaries(text, st.integers(0, 0o7777)),
    st.just((0o644, 0o755, 0o755)),
    st.dictionaries(text, st.integers(0, 0o7777)),
    st.lists(text).map(tuple),
    st.dictionaries(text, text),
    st.booleans(),
    st.booleans(),
    st.none() | text,
)


@given(draft, present, st.integers(0, 10**9))
def test_what_is_written_down_is_read_back(
    draft: CheckpointDraft, present: WorktreeState, seq: int
) -> None:
    message = commit_message.write(draft, present, seq, "main")
    assert message.isascii()
    headline, body = message.split("\n\n", 1)
    assert "\n" not in headline.replace(draft.id, "") or "\n" in draft.id
    if "\n" not in draft.id:
        assert commit_message.read("c", "t", body) == Checkpoint(draft, present, seq, "c", "main")
