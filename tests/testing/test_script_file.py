"""A script as JSON, and the command that serves it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from holdfast.adapters.models.openai_compatible import OpenAICompatible
from holdfast.loop.ports import ModelRequest, TextPiece
from holdfast.testing import (
    BadScript,
    Call,
    Reply,
    Script,
    call,
    calls,
    cut,
    drop,
    fail,
    overflow,
    read_script,
    say,
    text_call,
    truncated,
    whole,
    wrong_json,
)
from holdfast.vocab.transcript import UserText
from tests.waiting import LONGEST


@pytest.mark.parametrize(
    ("entry", "reply"),
    [
        ({"say": "Hello."}, say("Hello.")),
        ({"say": "Hello.", "think": "hm"}, say("Hello.", reasoning="hm")),
        ({"call": {"name": "read_file", "arguments": {"path": "a"}}}, call("read_file", path="a")),
        ({"call": {"name": "read_file", "arguments": '{"pa'}}, call("read_file", '{"pa')),
        (
            {"call": {"name": "a", "id": "7", "as_object": True}},
            Reply(calls=(Call("a", "{}", "7", as_object=True),)),
        ),
        (
            {"calls": [{"name": "a"}, {"name": "b"}], "say": "Both."},
            calls(call("a"), call("b"), text="Both."),
        ),
        (
            {"text_call": {"name": "a", "arguments": {"n": 1}, "style": "bare"}},
            text_call("a", "bare", n=1),
        ),
        ({"fail": 429, "retry_after": 2, "message": "slow"}, fail(429, "slow", retry_after=2)),
        ({"overflow": 4096}, overflow(4096)),
        ({"drop": True}, drop()),
        ({"say": "a", "cut_after": 2}, cut(say("a"), 2)),
        ({"say": "a", "whole": True}, whole(say("a"))),
        ({"say": "a", "wrong_json": True}, wrong_json(say("a"))),
        ({"say": "a", "prompt_tokens": 5}, truncated(say("a"), 5)),
        (
            {"say": "a", "finish": "length", "usage": "none"},
            Reply(text="a", finish="length", usage="none"),
        ),
        ({"chunks": [{"a": 1}]}, Reply(chunks=({"a": 1},))),
        ({"raw": ["a", "b"]}, Reply(raw=(b"a", b"b"))),
    ],
)
def test_each_reply_can_be_written_as_json(entry: dict[str, object], reply: Reply) -> None:
    assert read_script(json.dumps([entry])) == Script((reply,), None, {})


def test_options_and_repeated_replies() -> None:
    text = json.dumps(
        {
            "replies": [{"fail": 500, "times": 2}],
            "otherwise": {"say": "x"},
            "kind": "vllm",
            "context": 4096,
        }
    )

    assert read_script(text) == Script(
        (fail(500), fail(500)), say("x"), {"kind": "vllm", "context": 4096}
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "the script is not JSON: line 1, column 2"),
        ("3", 'the script must be a list of replies, or an object with "replies".'),
        ('[{"say": "a"}, {"sey": "a"}]', 'reply 2: there is no "sey"; did you mean "say"?'),
        ('[{"call": {"nam": "a"}}]', 'a call: there is no "nam"; did you mean "name"?'),
        ('[{"call": {}}]', "reply 1: this cannot be read"),
        ("[3]", "reply 1: this must be an object."),
        ('{"replies": [], "kind": "x"}', 'the script: "kind" must be one of'),
        ('{"replies": [], "modell": "x"}', 'the script: there is no "modell"; did you mean'),
    ],
)
def test_a_script_that_cannot_be_read_says_where_and_what(text: str, message: str) -> None:
    found = read_script(text)

    assert isinstance(found, BadScript)
    assert found.message.startswith(message)


@pytest.mark.e2e
def test_the_command_serves_a_script_and_keeps_the_requests(tmp_path: Path) -> None:
    script, requests = tmp_path / "script.json", tmp_path / "requests.jsonl"
    script.write_text('[{"say": "Hello."}]', encoding="utf-8")
    command = [sys.executable, "-m", "holdfast.testing", str(script), "--requests", str(requests)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as serving:
        assert serving.stdout is not None
        with OpenAICompatible(serving.stdout.readline().strip(), "m") as model:
            assert next(iter(model.stream(ModelRequest((UserText("hi"),)), Event()))) == TextPiece(
                "Hello."
            )
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(LONGEST) == 0

    assert [
        json.loads(line)["model"] for line in requests.read_text(encoding="utf-8").splitlines()
    ] == ["m"]


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("text", "message"), [("[3]", "reply 1: this must be an object."), (None, "No such file")]
)
def test_the_command_refuses_a_script_that_cannot_be_read(
    tmp_path: Path, text: str | None, message: str
) -> None:
    script = tmp_path / "script.json"
    if text is not None:
        script.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "holdfast.testing", str(script)],
        check=False,
        capture_output=True,
        encoding="utf-8",
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
