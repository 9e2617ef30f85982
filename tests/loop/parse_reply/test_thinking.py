from __future__ import annotations

import pytest

from holdfast.loop.parse_reply.thinking import Divided, divide


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Done.", Divided("Done.", "")),
        ("<think>a</think>Done.", Divided("Done.", "a")),
        ("\n<thinking>a</thinking>\n<think>b</think>Done.", Divided("Done.", "a\nb")),
        ("<think>a", Divided("", "a")),
        ("a</think>Done.", Divided("Done.", "a")),
        ("First.\n<think>a</think>\nDone.", Divided("First.\n\nDone.", "a")),
        ("First.\n<think>a", Divided("First.\n", "a")),
        ("[THINK]a[/THINK]Done.", Divided("Done.", "a")),
        ("◁think▷a◁/think▷Done.", Divided("Done.", "a")),
        ("<|channel|>analysis<|message|>a<|end|>Done.", Divided("Done.", "a")),
        ("analysisWe think.assistantfinalDone.", Divided("Done.", "We think.")),
        ("The tag `</think>` ends it.", Divided("The tag `</think>` ends it.", "")),
        ('text.split("</think>")', Divided('text.split("</think>")', "")),
        (
            "Like so:\n```\n<think>\na\n</think>\n```\n",
            Divided("Like so:\n```\n<think>\na\n</think>\n```\n", ""),
        ),
        ("<think>Use ``` here</think>Done.", Divided("Done.", "Use ``` here")),
    ],
)
def test_thoughts_are_taken_out_and_words_about_thoughts_are_not(
    text: str, expected: Divided
) -> None:
    assert divide(text) == expected


@pytest.mark.parametrize(
    "call",
    [
        "<function=write_file>\n<parameter=text>\n<think>\na\n</think>\n</parameter>\n</function>",
        "<function=write_file>\n<parameter=text>\na </think> b\n</parameter>\n</function>",
        '{"name": "write_file", "arguments": {"text": "a\\n</think>\\nb"}}',
    ],
)
def test_a_thought_in_what_a_call_writes_is_no_thought(call: str) -> None:
    assert divide(call) == Divided(call, "")
