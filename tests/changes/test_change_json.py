"""A change as JSON: any request and any bytes come back as they went."""

from __future__ import annotations

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.changes.change import RequestedEdits
from holdfast.changes.change_json import (
    ContentDamaged,
    plan_from_json,
    plan_to_json,
    requested_from_json,
    requested_to_json,
)
from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.swaps import Content, Swap
from holdfast.vocab.requests import (
    FileRequest,
    LineEdit,
    LineEdits,
    OneOf,
    Patch,
    Replace,
    WriteFile,
)

texts = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("\udc80\udcff\0"), max_size=10
)
numbers = st.integers(-5, 10_000)
replaces = st.builds(Replace, texts, texts, st.none() | numbers, st.booleans())
line_edits = st.builds(LineEdit, numbers, numbers, texts, st.none() | texts)
requests = st.one_of(
    st.none(),
    replaces,
    st.builds(Patch, texts, st.booleans()),
    st.builds(LineEdits, st.lists(line_edits, max_size=3).map(tuple), st.none() | texts),
    st.builds(WriteFile, texts),
    st.builds(OneOf, st.lists(replaces, max_size=3).map(tuple)),
)
actions = st.sampled_from(["edit", "create", "delete", "rename"])
file_requests = st.builds(FileRequest, texts, actions, requests, st.none() | texts)
contents = st.none() | st.builds(
    Content, st.binary(max_size=40), st.none() | st.integers(0, 0o7777)
)
landings = st.builds(
    FileLanded,
    texts,
    actions,
    st.sampled_from(["exact", "whitespace", "similar"]),
    st.floats(0, 1),
    texts,
    st.none() | texts,
    st.lists(texts, max_size=2).map(tuple),
    st.lists(texts, max_size=2).map(tuple),
)
swaps = st.builds(Swap, texts, contents, contents, st.booleans())


def through_json(value: object) -> dict[str, object]:
    read = json.loads(json.dumps(value, allow_nan=False))
    assert isinstance(read, dict)
    return read


@given(
    st.builds(
        RequestedEdits,
        st.lists(file_requests, max_size=4).map(tuple),
        st.booleans(),
        st.none() | texts,
    )
)
def test_what_was_asked_is_read_as_it_was_written(asked: RequestedEdits) -> None:
    assert requested_from_json(through_json(requested_to_json(asked))) == asked


@given(
    st.builds(
        ChangePlan,
        st.lists(landings, max_size=3).map(tuple),
        st.lists(swaps, max_size=3).map(tuple),
        st.lists(texts, max_size=3).map(tuple),
    )
)
def test_what_landed_is_read_as_it_was_written(plan: ChangePlan) -> None:
    assert plan_from_json(through_json(plan_to_json(plan))) == plan


def test_each_side_has_its_hash_beside_its_bytes() -> None:
    written = plan_to_json(ChangePlan((), (Swap("a", None, Content(b"")),), ()))
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert (written["swaps"][0]["before"], written["swaps"][0]["after"]["sha256"]) == (None, empty)


LONG = "".join(f"def part_{number}():\n    return {number * number}\n\n" for number in range(3_000))


def test_a_line_changed_in_a_long_text_does_not_store_the_text_twice() -> None:
    old, new = LONG.encode(), LONG.replace("return 9\n", "return 10\n").encode()
    plan = ChangePlan((), (Swap("a.py", Content(old), Content(new)),), ())
    created = ChangePlan((), (Swap("a.py", None, Content(old)),), ())
    once = len(json.dumps(plan_to_json(created)))
    assert len(old) > 100_000
    assert len(json.dumps(plan_to_json(plan))) < once + 300
    assert plan_from_json(through_json(plan_to_json(plan))) == plan


def test_texts_that_an_older_version_wrote_whole_are_read() -> None:
    def whole(data: bytes, sha256: str) -> dict[str, object]:
        packed = base64.b64encode(zlib.compress(data)).decode("ascii")
        return {"sha256": sha256, "mode": None, "zlib": packed}

    old = whole(b"old\n", "01d09d19c2139a46aebfb577780d123d7396e97201bc7ead210a2ebff8239dee")
    new = whole(b"new\n", "7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c")
    swap = {"path": "a", "modes": False, "before": old, "after": new}
    read = plan_from_json({"landed": [], "swaps": [swap], "makes": []})
    assert read == ChangePlan((), (Swap("a", Content(b"old\n"), Content(b"new\n")),), ())


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_text_that_is_not_what_its_hash_says_is_damaged(side: str) -> None:
    plan = ChangePlan((), (Swap("a.py", Content(b"old\n"), Content(b"new\n")),), ())
    written = plan_to_json(plan)
    written["swaps"][0][side]["sha256"] = "0" * 64
    with pytest.raises(ContentDamaged, match=r"a\.py: the text on record is damaged"):
        plan_from_json(written)


def test_a_text_that_cannot_be_unpacked_is_damaged() -> None:
    plan = ChangePlan((), (Swap("a.py", Content(b"old\n"), Content(b"new\n")),), ())
    written = plan_to_json(plan)
    written["swaps"][0]["before"]["zlib"] = "AAAA"
    with pytest.raises(ContentDamaged, match=r"a\.py: the text on record is damaged"):
        plan_from_json(written)
