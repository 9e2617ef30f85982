"""A key of Holdfast's that a model says is masked, however its server cuts the reply into pieces."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from holdfast.loop.ports import (
    CallPiece,
    FinishPiece,
    ModelRequest,
    ReasoningPiece,
    StreamPiece,
    TextPiece,
)
from holdfast.usecases.turns.redacted_model import RedactedModel
from holdfast.vocab.cancellation import Cancel

KEY = "sk-abcabd"
MASK = "[a key of Holdfast, not shown]"
NO_REQUEST: ModelRequest = None  # type: ignore[assignment]  # the model below reads none


class Saying:
    """A model that replies with these pieces."""

    name = "m"
    context = None

    def __init__(self, *pieces: StreamPiece) -> None:
        self.pieces = pieces

    def stream(self, request: ModelRequest, cancel: Cancel) -> Iterator[StreamPiece]:
        del request, cancel
        yield from self.pieces


def replies(*pieces: StreamPiece) -> list[StreamPiece]:
    model = RedactedModel(Saying(*pieces), [KEY])
    return list(model.stream(NO_REQUEST, threading.Event()))


@given(st.text("sk-abcd ", max_size=12), st.text("sk-abcd ", max_size=12), st.data())
def test_a_key_is_masked_wherever_the_reply_is_cut(
    before: str, behind: str, data: st.DataObject
) -> None:
    whole = f"{before}{KEY}{behind}"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    ends = [*cuts, len(whole)]
    parts = [whole[start:end] for start, end in zip([0, *cuts], ends, strict=True)]
    got = "".join(each.text for each in replies(*map(TextPiece, parts)))  # type: ignore[union-attr]
    assert got == whole.replace(KEY, MASK)


def test_texts_reasoning_and_calls_are_masked_apart_and_nothing_is_lost() -> None:
    cut = [KEY[:4], KEY[4:]]
    got = replies(
        ReasoningPiece(f"a {cut[0]}"),
        ReasoningPiece(cut[1]),
        TextPiece(cut[0]),
        CallPiece(0, "1", "write_file", f'{{"text": "{cut[0]}'),
        CallPiece(0, arguments=f'{cut[1]}"}}'),
        CallPiece(1, "2", "list", cut[0]),
        FinishPiece("tool_calls"),
    )
    assert [each for each in got if each not in (TextPiece(""), ReasoningPiece(""))] == [
        ReasoningPiece("a "),
        ReasoningPiece(MASK),
        TextPiece(cut[0]),
        CallPiece(0, "1", "write_file", '{"text": "'),
        CallPiece(0, arguments=f'{MASK}"}}'),
        CallPiece(1, "2", "list", ""),
        CallPiece(1, arguments=cut[0]),
        FinishPiece("tool_calls"),
    ]
