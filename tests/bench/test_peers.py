"""Peers get the cases in their own notation, and none of them can hang the run."""

from __future__ import annotations

import sys

import pytest

from bench.landing.cases import Case, Edit
from bench.landing.peers.bridge import Bridge, BridgeDownError
from bench.landing.peers.catalog import find_peers
from bench.landing.peers.notation import begin_patch, pairs
from bench.landing.peers.tools import CommandPeer, TextPeer
from holdfast import LineEdit, LineEdits, Patch, Replace
from tests.waiting import LONGEST

ECHO = """
import json, sys, time
for line in sys.stdin:
    ask = json.loads(line)
    if ask["old"] == "hang":
        time.sleep(6000)
    if ask["old"] == "die":
        sys.exit(1)
    print(json.dumps({"out": ask["before"].replace(ask["old"], ask["new"]), "ms": 1.5}), flush=True)
"""


def question(old: str) -> dict[str, str]:
    return {"tool": "echo", "before": "a b", "old": old, "new": "c"}


@pytest.mark.parametrize(
    ("edit", "texts"),
    [
        (Replace("a", "b"), [("a", "b")]),
        (Replace("a", "b", near_line=3), None),
        (Replace("a", "b", every=True), None),
        (LineEdits((LineEdit(1, 1, "b", "a"),)), [("a", "b")]),
        (LineEdits((LineEdit(1, 1, "b"),)), None),
        (Patch("@@ @@\n-a\n+b\n"), None),
    ],
)
def test_text_peers_get_pairs_of_texts(edit: Edit, texts: list[tuple[str, str]] | None) -> None:
    assert pairs(edit) == texts


def test_a_diff_becomes_a_patch_without_headers_numbers_and_fences() -> None:
    diff = "Here:\n```diff\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n a\n-b\n+c\n```\nDone.\n"
    assert (
        begin_patch(Patch(diff), "x")
        == "*** Begin Patch\n*** Update File: x\n@@\n a\n-b\n+c\n*** End Patch"
    )


def test_a_replacement_becomes_a_patch_of_its_lines() -> None:
    patch = begin_patch(Replace("a\nb\n", "a\nc\n"), "x")
    assert patch == "*** Begin Patch\n*** Update File: x\n@@\n a\n-b\n+c\n*** End Patch"


def test_a_peer_that_hangs_or_dies_is_started_anew() -> None:
    bridge = Bridge([sys.executable, "-c", ECHO], limit_seconds=3)
    try:
        assert bridge.ask(question("a"))["out"] == "c b"
        with pytest.raises(BridgeDownError, match="no answer within"):
            bridge.ask(question("hang"))
        assert bridge.ask(question("b"))["out"] == "a c"
        with pytest.raises(BridgeDownError, match="ended"):
            bridge.ask(question("die"))
        assert bridge.ask(question("b"))["ms"] == 1.5
    finally:
        bridge.close()


def test_a_hang_is_an_error_in_the_answer() -> None:
    case = Case("1", "text", "clean", "land", "x.txt", "hang", Replace("hang", "b"), ("b",))
    peer = TextPeer("echo", Bridge([sys.executable, "-c", ECHO], limit_seconds=0.3), "echo")
    try:
        answer = peer.answer(case)
    finally:
        peer.close()
    assert answer is not None
    assert (answer.text, answer.error) == (None, "no answer within 0 s")


def test_a_command_changes_a_file_and_keeps_its_bytes() -> None:
    script = "import sys; p = sys.argv[1]; b = open(p, 'rb').read(); open(p, 'wb').write(b.replace(b'a', b'c'))"
    peer = CommandPeer(
        "script", lambda _, name: ([sys.executable, "-c", script, name], ""), limit_seconds=LONGEST
    )
    case = Case("1", "text", "clean", "land", "x.txt", "a\r\nb", Replace("a", "c"), ("c\r\nb",))
    answer = peer.answer(case)
    assert answer is not None
    assert (answer.text, answer.error) == ("c\r\nb", None)


def test_an_unknown_peer_is_named_with_those_there_are() -> None:
    with pytest.raises(
        SystemExit, match="no peer is called nobody; there are: first_hit, exact_once"
    ):
        find_peers("nobody")
